-- Projections of fair play. The pair and analysis streams in `events` are the truth.

-- One row a pair and UTC day, locked by whoever decides about it, so that the reservations of one pair wait for each other
-- rather than fail. The check repeats the rule as the last guard.
create table pair_days (
    stream_id        uuid     primary key,
    first_player_id  uuid     not null,
    second_player_id uuid     not null,
    day              integer  not null,
    slots_taken      smallint not null default 0 check (slots_taken between 0 and 6),
    check (first_player_id < second_player_id)
);

-- The pair's day that a match belongs to. Null: the match was given up before its proposal came, and takes no slot any more.
create table match_pairs (
    match_id       uuid primary key,
    pair_stream_id uuid
);

-- The work queue. A claim is a token and a time: who holds it may finish the job, and whoever is late finds it gone.
create table analysis_jobs (
    game_id         uuid        primary key,
    white_player_id uuid        not null,
    black_player_id uuid        not null,
    status          text        not null default 'queued' check (status in ('queued', 'running', 'ready', 'parked')),
    -- Tries that failed by themselves.
    attempts        integer     not null default 0,
    -- Claims that ran out because their worker was gone.
    claims_lost     integer     not null default 0,
    claimed_by      uuid,
    claimed_until   timestamptz,
    queued_at       timestamptz not null default clock_timestamp(),
    not_before      timestamptz not null default clock_timestamp(),
    -- What went wrong last.
    cause           text,
    check ((status = 'running') = (claimed_by is not null and claimed_until is not null))
);
create index analysis_jobs_open on analysis_jobs (queued_at) where status in ('queued', 'running');

-- Complete reports as stakemate.fairplay.v1.GameReport, written with the ReportReady event.
create table reports (
    game_id  uuid        primary key references analysis_jobs (game_id),
    report   bytea       not null,
    ready_at timestamptz not null default clock_timestamp()
);
