-- A game at a table belongs to no match and nobody stakes anything.
alter table games
    alter column match_id drop not null,
    alter column stake_minor_units drop not null,
    alter column currency drop not null,
    add column table_id uuid;
alter table games add check ((match_id is null) <> (table_id is null));

-- The tables that are found and listed. The log of a table is the truth: this is written with it and could be made from it.
create table tables (
    table_id        uuid     not null primary key,
    host_id         uuid     not null,
    -- The request that opened it, so that the same one again opens no second.
    open_request_id uuid     not null,
    -- The running game, or the last between those who sit.
    game_id         uuid,
    version         bigint   not null check (version > 0),
    opened_at_ms    bigint   not null,
    -- When something last happened here.
    touched_at_ms   bigint   not null,
    seats           smallint not null check (seats between 0 and 2),
    is_public       boolean  not null,
    is_open         boolean  not null,
    -- The table as clients see it (stakemate.game.v1.Table), but for what its game says.
    view            bytea    not null,
    unique (host_id, open_request_id)
);

create index tables_open on tables (opened_at_ms desc, table_id desc) where is_open;
create index tables_idle on tables (touched_at_ms) where is_open;
