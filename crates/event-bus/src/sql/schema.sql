-- The tables of a service that consumes events. Idempotent; runs as one transaction, alone (two pods may start at once).
select pg_advisory_xact_lock(hashtextextended('stakemate.event_bus.schema', 0));

-- The last public event of a stream that a consumer has handled, written in the transaction of its effects.
create table if not exists inbox (
    consumer   text        not null,
    stream_id  uuid        not null,
    version    bigint      not null,
    event_id   uuid        not null,
    handled_at timestamptz not null default clock_timestamp(),
    primary key (consumer, stream_id)
);

-- Messages that wait here rather than at the broker, whole, so that the broker may forget them.
--   fault   could not be handled: waits for an operator
--   gap     an earlier public event of its stream has not arrived: handled once it has
--   behind  an earlier message of its stream is parked: handled once that one is out of the way
create table if not exists dead_letters (
    consumer        text        not null,
    stream_id       uuid        not null,
    version         bigint      not null,
    follows         bigint      not null,
    event_id        uuid        not null,
    subject         text        not null,
    schema          smallint    not null,
    data            bytea       not null,
    metadata        bytea       not null,
    recorded_at     timestamptz not null,
    reason          text        not null check (reason in ('fault', 'gap', 'behind')),
    error           text        not null,
    attempts        integer     not null,
    retry_requested boolean     not null default false,
    parked_at       timestamptz not null default clock_timestamp(),
    primary key (consumer, stream_id, version)
);

-- What was done about such messages by hand, with what they were like then. Only ever added to.
create table if not exists dead_letter_actions (
    actor      text        not null,
    request_id uuid        not null,
    kind       text        not null check (kind in ('retry', 'skip')),
    consumer   text        not null,
    stream_id  uuid        not null,
    version    bigint      not null,
    subject    text        not null,
    error      text        not null,
    reason     text        not null,
    acted_at   timestamptz not null default clock_timestamp(),
    primary key (actor, request_id)
);
create index if not exists dead_letter_actions_latest on dead_letter_actions (acted_at, request_id);
