-- What the game service lists and recovers by. The log is the truth of a game: this table repeats the facts by which games
-- are found, is written in the transactions of a game's first and last event, and could be rebuilt from them.
create table games (
    game_id           uuid        not null primary key,
    match_id          uuid        not null,
    white_id          uuid        not null,
    black_id          uuid        not null,
    started_at_ms     bigint      not null,
    -- 0 while the game is live.
    ended_at_ms       bigint      not null default 0,
    -- Null in a game without clocks.
    base_ms           integer,
    increment_ms      integer,
    stake_minor_units bigint      not null check (stake_minor_units >= 0),
    -- How many half-moves were played; known once the game has ended.
    plies             integer     not null default 0 check (plies >= 0),
    -- The numbers of stakemate.game.v1.GameStatus, GameResult and EndReason.
    status            smallint    not null check (status between 1 and 3),
    result            smallint    not null default 0 check (result between 0 and 3),
    end_reason        smallint    not null default 0 check (end_reason >= 0),
    city_id           text        not null,
    white_name        text        not null,
    black_name        text        not null,
    currency          text        not null,
    rule_set          text        not null,
    check ((base_ms is null) = (increment_ms is null)),
    check (white_id <> black_id),
    check ((status = 1) = (ended_at_ms = 0))
);

-- Every list is newest first, and the id makes the order total: one index for each leading filter.
create index games_newest on games (started_at_ms desc, game_id desc);
create index games_of_white on games (white_id, started_at_ms desc, game_id desc);
create index games_of_black on games (black_id, started_at_ms desc, game_id desc);
create index games_of_city on games (city_id, started_at_ms desc, game_id desc);
-- Few rows are live at a time; recovery reads exactly these.
create index games_live on games (started_at_ms desc, game_id desc) where status = 1;
