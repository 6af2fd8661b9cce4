-- Projections of matchmaking. The match streams in `events` are the truth; everything here can be rebuilt from them and
-- from the events of the other services.

-- One row a match, kept in step with its stream in the same transaction.
create table matches (
    match_id           uuid primary key,
    game_id            uuid not null unique,
    city_id            text not null,
    base_ms            bigint not null,
    increment_ms       bigint not null,
    white_id           uuid not null,
    white_name         text not null,
    white_request_id   uuid not null,
    white_rating       integer not null,
    white_queued_at_ms bigint not null,
    black_id           uuid not null,
    black_name         text not null,
    black_request_id   uuid not null,
    black_rating       integer not null,
    black_queued_at_ms bigint not null,
    status             text not null
        check (status in ('proposed', 'stakes_requested', 'confirmed', 'started', 'closed', 'cancelled')),
    cancel_reason      integer not null default 0,
    cancelled_by       uuid,
    -- When the step under way is given up; a row and not a timer, so that it survives a crash. Null when nothing is awaited.
    due_at             timestamptz
);
create index matches_due on matches (due_at) where due_at is not null;
create index matches_playing on matches (city_id) where status in ('confirmed', 'started');

-- A player is in at most one match that is not over: the last guard against pairing somebody twice.
create table players_in_match (
    player_id uuid primary key,
    match_id  uuid not null references matches (match_id)
);

-- What pairing asks about a player, from the events of games.
create table player_records (
    player_id        uuid primary key,
    -- Games with White less games with Black among the staked games.
    color_balance    integer not null default 0,
    last_opponent_id uuid,
    last_ended_at    timestamptz
);

-- From the events of the rating service.
create table player_ratings (
    player_id uuid not null,
    pool      text not null,
    rating    double precision not null,
    primary key (player_id, pool)
);

-- From the events of the wallet. A courtesy to whoever queues without the money; the wallet itself decides.
create table player_balances (
    player_id uuid not null,
    currency  text not null,
    available bigint not null,
    primary key (player_id, currency)
);

-- Pairs that fair-play has refused for a UTC day, so that they are not proposed again and again.
create table exhausted_pairs (
    first_id  uuid not null,
    second_id uuid not null,
    day       integer not null,
    primary key (first_id, second_id, day)
);
