-- What signs of collusion are looked for in.

-- The stake of a match, from its proposal.
alter table match_pairs add column stake_minor_units bigint;
alter table match_pairs add column currency text;

-- When accounts were made, from the gateway's events.
create table accounts (
    player_id        uuid   primary key,
    registered_at_ms bigint not null
);

-- One row a staked game that ended. What an engine says of it comes later, or never.
create table staked_games (
    game_id           uuid             primary key,
    ended_at_ms       bigint           not null,
    pool              text             not null,
    stake_minor_units bigint           not null,
    currency          text             not null,
    white_player_id   uuid             not null,
    black_player_id   uuid             not null,
    white_rating      double precision not null,
    black_rating      double precision not null,
    white_score       double precision not null,
    -- The end was a resignation, or a flag.
    loser_gave_up     boolean          not null,
    plies             integer          not null,
    -- The first twenty plies.
    opening           text,
    -- The share of the time at the start that each had left after his last move.
    white_left_share  double precision not null,
    black_left_share  double precision not null,
    white_mean_loss   double precision,
    black_mean_loss   double precision,
    -- White's win chance in the last position, in percent.
    white_last_chance double precision
);
create index staked_games_by_end on staked_games (ended_at_ms);

-- Days that were looked at.
create table collusion_days (
    day     integer     primary key,
    tests   integer     not null default 0,
    raised  integer     not null default 0,
    done_at timestamptz not null default clock_timestamp()
);

-- Signs that were raised, as stakemate.fairplay.v1.CollusionSignal. Their events in the player streams are the truth.
create table collusion_signals (
    signal_id uuid     primary key,
    kind      smallint not null,
    -- Whom a sign of this kind is known by: who gains, or both, who gains first.
    subject   uuid[]   not null,
    day       integer  not null,
    signal    bytea    not null,
    unique (kind, subject, day)
);
create table collusion_parties (
    player_id uuid not null,
    signal_id uuid not null references collusion_signals (signal_id),
    primary key (player_id, signal_id)
);
create table collusion_games (
    game_id   uuid not null,
    signal_id uuid not null references collusion_signals (signal_id),
    primary key (game_id, signal_id)
);

create index player_reports_of_player on player_reports (player_id, reported_at);
