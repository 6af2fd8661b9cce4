-- What an engine said of a position, by a name made of the engine, the nodes, the lines and the position: a memory, not a truth.
create table searched_positions (
    key      uuid        primary key,
    lines    bytea       not null,
    found_at timestamptz not null default clock_timestamp()
);
create index searched_positions_by_age on searched_positions (found_at);
