-- Evidence, levels, holds and cases. The analysis and player streams in `events` are the truth.

-- A second pass takes the row of the first again; the report that is there stays readable meanwhile.
alter table analysis_jobs add column pass smallint not null default 1 check (pass in (1, 2));
-- Whose moves the second pass looks at.
alter table analysis_jobs add column second_pass_player uuid;

-- From the events of the rating service.
create table player_ratings (
    player_id     uuid             not null,
    pool          text             not null,
    rating        double precision not null,
    pool_sequence bigint           not null,
    primary key (player_id, pool)
);

-- One row a side of a scored game, as stakemate.fairplay.v1.SideReport.
create table side_evidence (
    player_id   uuid     not null,
    game_id     uuid     not null references analysis_jobs (game_id),
    time_class  text     not null,
    ended_at_ms bigint   not null,
    pass        smallint not null default 1 check (pass in (1, 2)),
    side        bytea    not null,
    primary key (player_id, game_id)
);
create index side_evidence_latest on side_evidence (player_id, time_class, ended_at_ms desc, game_id desc);

-- One row a player with a scored game, locked by whoever writes his stream.
create table players (
    player_id  uuid    primary key,
    is_barred  boolean not null default false,
    -- The prize hold in force.
    hold_id    uuid,
    hold_until timestamptz,
    check ((hold_id is null) = (hold_until is null))
);
create index players_held on players (hold_until) where hold_until is not null;

-- A player in a time class, with his stakemate.fairplay.v1.Assessment.
create table standings (
    player_id      uuid     not null references players (player_id),
    time_class     text     not null,
    level          smallint not null default 1,
    -- Games that ended before do not count any more: a person has cleared them.
    counts_from_ms bigint   not null default 0,
    assessment     bytea,
    primary key (player_id, time_class)
);

create table cases (
    case_id       uuid     primary key,
    player_id     uuid     not null references players (player_id),
    time_class    text     not null,
    opened_at_ms  bigint   not null,
    -- 0 open, 1 cleared, 2 confirmed.
    decision      smallint not null default 0 check (decision in (0, 1, 2)),
    decided_by    uuid,
    reason        text     not null default '',
    decided_at_ms bigint   not null default 0
);
create index cases_in_order on cases (opened_at_ms, case_id);
create index cases_of_player on cases (player_id);

-- What players told about each other; one report a reporter and game.
create table player_reports (
    reported_by uuid        not null,
    game_id     uuid        not null,
    player_id   uuid        not null,
    reported_at timestamptz not null default clock_timestamp(),
    primary key (reported_by, game_id)
);
create index player_reports_by_day on player_reports (reported_by, reported_at);
