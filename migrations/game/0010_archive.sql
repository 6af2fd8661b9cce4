-- Finished games in few bytes. A packed game replaces its live log: replays and exports read it once the log's partition is
-- dropped. Ids of requests are not packed, so a repeated request of such a game is answered "game over".

-- The rule sets that packed games were played by; each is kept once.
create table archived_rule_sets (
    rule_set_id integer generated always as identity primary key,
    -- stakemate.game.v1.RuleSetRecord
    record      bytea not null unique
);

create table archived_games (
    game_id     uuid     not null primary key,
    rule_set_id integer  not null references archived_rule_sets,
    -- How many events the live log has.
    events      integer  not null check (events > 0),
    -- stakemate.game.v1.GameStarted without its rule set.
    started     bytea    not null,
    -- Everything after the start, as domain_chess::archive packs it.
    course      bytea    not null,
    -- Names and values in turn of the tags that an imported game came with.
    tags        text[]   not null default '{}'
);

-- 0: not packed yet; 1: packed; 2: cannot be packed, and stays in the live log.
alter table games add column packing smallint not null default 0 check (packing between 0 and 2);
create index games_unpacked on games (ended_at_ms) where status <> 1 and packing = 0;

-- Drops a monthly partition of the live log, and answers how many events it had. Refuses while a game in it is not packed,
-- or an event of it is not published.
create function drop_packed_partition(partition text) returns bigint
    language plpgsql
    set lock_timeout = '5s'
as $$
declare
    left_over uuid;
    dropped   bigint;
begin
    if partition !~ '^events_[0-9]{4}_[0-9]{2}$' then
        raise exception '% is no monthly partition of the log', partition;
    end if;
    execute format('lock table %I in access exclusive mode', partition);
    execute format('select e.stream_id from %I e where not exists (select from archived_games a where a.game_id = e.stream_id)'
                   ' limit 1', partition) into left_over;
    if left_over is not null then
        raise exception 'game % is not packed', left_over;
    end if;
    execute format('select o.stream_id from outbox o where o.published_at is null'
                   ' and exists (select from %I e where e.stream_id = o.stream_id) limit 1', partition) into left_over;
    if left_over is not null then
        raise exception 'an event of game % is not published', left_over;
    end if;
    execute format('select count(*) from %I', partition) into dropped;
    execute format('alter table events detach partition %I', partition);
    execute format('drop table %I', partition);
    return dropped;
end
$$;
