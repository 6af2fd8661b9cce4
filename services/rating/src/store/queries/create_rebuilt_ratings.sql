-- The ratings as the log gives them, beside the stored ones.
create temp table rebuilt_ratings (
    player_id       uuid             not null,
    pool            text             not null,
    rating          double precision not null,
    deviation       double precision not null,
    volatility      double precision not null,
    games           integer          not null,
    last_game_at_ms bigint           not null
) on commit drop
