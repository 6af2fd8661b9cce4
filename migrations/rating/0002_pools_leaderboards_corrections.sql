-- Leaderboards, corrections, and the house tables' pool.

-- Until when a player is listed: as long as the deviation, grown by the days since his last game, is at most 110. On the
-- Glicko-2 scale that is phi^2 + sigma^2 * days <= (110 / 173.7178)^2. Without volatility (Elo) nothing grows: always.
alter table ratings
    add column listed_until_ms bigint generated always as (
        case
            when deviation > 110 then null
            when volatility = 0 then 9223372036854775807
            else last_game_at_ms + floor(
                86400000 * ((110 / 173.7178::float8) ^ 2 - (deviation / 173.7178::float8) ^ 2) / volatility ^ 2
            )::bigint
        end) stored;

create index ratings_listed on ratings (pool, rating desc, player_id) include (listed_until_ms)
    where listed_until_ms is not null;

-- Two rows a game, one for each player; one or two a correction, which has no score.
alter table rating_history
    add column kind text not null default 'game' check (kind in ('game', 'voided', 'adjusted')),
    -- When the player's last game before this one ended: what a recomputation needs for the idle time.
    add column last_game_before_ms bigint,
    alter column score drop not null,
    add check ((kind = 'game') = (score is not null)),
    drop constraint rating_history_game_id_player_id_key;

update rating_history h
set last_game_before_ms = former.last_game_at_ms
from (select player_id, pool, pool_sequence,
             max(ended_at_ms) over (partition by player_id, pool order by pool_sequence
                 rows between unbounded preceding and 1 preceding) as last_game_at_ms
      from rating_history) former
where former.player_id = h.player_id
  and former.pool = h.pool
  and former.pool_sequence = h.pool_sequence;

-- The database's own guards that no game counts twice and none is voided twice.
create unique index rating_history_game on rating_history (game_id, player_id) where kind = 'game';
create unique index rating_history_voided on rating_history (game_id, player_id) where kind = 'voided';
-- A pool's changes in their order, for a recomputation.
create index rating_history_order on rating_history (pool, pool_sequence);

-- Which game a request for a correction was about: the answer to its repeat stands in the game's stream.
create table rating_requests (
    actor_id   uuid not null,
    request_id uuid not null,
    game_id    uuid not null,
    primary key (actor_id, request_id)
);

-- Names as the games told them, for leaderboards. Not part of the ratings: a rebuild leaves them alone.
create table players (
    player_id uuid primary key,
    name      text not null
);

-- Running games that are not of a city, and the pool they count in, if any. From their start to their end.
create table games_apart (
    game_id uuid primary key,
    pool    text
);
