-- A player's stake in a match, kept in the transaction of each event, so that "held = open holds" can be checked all the time
-- without reading the log. settled_by is the kind of the statement line that ended it (3 payout, 4 refund), null while it is held.
create table holds (
    match_id   uuid     not null,
    player_id  uuid     not null,
    game_id    uuid     not null,
    stake      bigint   not null check (stake > 0),
    currency   text     not null,
    settled_by smallint,
    primary key (match_id, player_id)
);
create index holds_open on holds (match_id) where settled_by is null;

insert into holds (match_id, player_id, game_id, stake, currency, settled_by)
select held.match_id, held.player_id, held.game_id, held.held_change, held.currency,
       (select ended.kind
        from statement_lines ended
        where ended.player_id = held.player_id
          and ended.match_id = held.match_id
          and ended.kind in (3, 4))
from statement_lines held
where held.kind = 2;
