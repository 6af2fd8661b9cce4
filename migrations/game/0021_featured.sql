-- Which running game everybody is shown: the rated one of the pair with the highest ratings.

-- From the events of the rating service, which come in streams of games and overtake each other: the change with the highest
-- number of its pool counts.
create table player_ratings (
    player_id     uuid             not null,
    pool          text             not null,
    rating        double precision not null,
    pool_sequence bigint           not null,
    primary key (player_id, pool)
);

alter table games
    -- As known when the game began; null for a player without a rating in its pool.
    add column white_rating    double precision,
    add column black_rating    double precision,
    -- The sum of both, which the best game is found by; null for a game that is not shown to everybody.
    add column featured_rating double precision;

-- One row is read of it, the first, however many games run.
create index games_featured on games (featured_rating desc, started_at_ms, game_id)
    where status = 1 and featured_rating is not null;
