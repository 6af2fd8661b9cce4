-- The ratings and their history: a projection of the service's own log, replaced whole by a rebuild.

-- The number of the last game computed in each pool. Its row is taken first by every update, so that the numbers are the
-- order in which the ratings were computed, which a rebuild repeats.
create table rating_pools (
    pool          text   primary key,
    last_sequence bigint not null check (last_sequence > 0)
);

-- The deviation is that after the last game: idle time is added when the rating is used or read.
create table ratings (
    player_id       uuid             not null,
    pool            text             not null,
    rating          double precision not null,
    deviation       double precision not null,
    volatility      double precision not null,
    games           integer          not null check (games > 0),
    last_game_at_ms bigint           not null,
    primary key (player_id, pool)
);

-- Two rows a game, one for each player.
create table rating_history (
    player_id         uuid             not null,
    pool              text             not null,
    pool_sequence     bigint           not null,
    game_id           uuid             not null,
    opponent_id       uuid             not null,
    score             double precision not null check (score in (0, 0.5, 1)),
    rating_before     double precision not null,
    deviation_before  double precision not null,
    volatility_before double precision not null,
    games_before      integer          not null,
    rating_after      double precision not null,
    deviation_after   double precision not null,
    volatility_after  double precision not null,
    ended_at_ms       bigint           not null,
    primary key (player_id, pool, pool_sequence),
    -- The database's own guard that no game counts twice.
    unique (game_id, player_id)
);
