-- The tables of the event store. Idempotent; runs as one transaction, alone (two pods may start at once).
select pg_advisory_xact_lock(hashtextextended('stakemate.event_store.schema', 0));

-- The primary key is the optimistic lock. Partitioned by the time inside the UUIDv7 stream id, which keeps that key
-- whole; a partition by recorded_at would not. Fixed-width columns first: no padding. Public events have an id, others may do without:
-- with eight columns or fewer a row's list of what is null takes no byte of its own.
create table if not exists events (
    stream_id   uuid        not null,
    event_id    uuid,
    version     bigint      not null check (version > 0),
    recorded_at timestamptz not null default clock_timestamp(),
    schema      smallint    not null,
    type        text        not null,
    data        bytea       not null,
    metadata    bytea       not null,
    primary key (stream_id, version)
) partition by range (stream_id);

-- In a log from when every event had an id. Looked at first, because the change waits for everybody who reads or writes.
do $$
begin
    if (select attnotnull from pg_attribute where attrelid = 'events'::regclass and attname = 'event_id') then
        perform set_config('lock_timeout', '5s', true);
        alter table events alter column event_id drop not null;
    end if;
end
$$;

-- For people who look at what happened when. The log is only appended to, so a few bytes for every 32 pages find the place of
-- an instant, and a write pays next to nothing for them.
create index if not exists events_recorded on events using brin (recorded_at) with (pages_per_range = 32);

-- Streams whose id is no UUIDv7 (derived ids) and those of an unprepared month.
create table if not exists events_default partition of events default;

-- One row a public event, written with it. generation counts republications, so that the broker's window for
-- duplicates does not swallow a message it no longer holds.
create table if not exists outbox (
    stream_id    uuid     not null,
    version      bigint   not null,
    follows      bigint   not null,
    position     bigint   generated always as identity,
    published_at timestamptz,
    generation   smallint not null default 0,
    stream_kind  text     not null,
    primary key (stream_id, version)
);
create index if not exists outbox_unpublished on outbox (position) where published_at is null;
create index if not exists outbox_published on outbox using brin (published_at);

-- Who may write to a set of streams: the epoch rises each time that the right changes hands. Which streams lie behind a fence, and how
-- the right is given, is the affair of the service; most have none.
create table if not exists fences (
    fence  integer not null primary key,
    epoch  bigint  not null,
    holder uuid
);

-- The lowest UUIDv7 of an instant.
create or replace function event_store_uuid_floor(instant timestamptz) returns uuid
    language sql immutable strict parallel safe
    return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Makes the monthly partitions from last month to months_ahead from now, as far as they are missing; answers how many.
-- Rows of the default partition that belong to a new one move there.
create or replace function event_store_make_partitions(months_ahead integer) returns integer
    language plpgsql
    set lock_timeout = '5s'
as $$
declare
    this_month timestamp := date_trunc('month', now() at time zone 'utc');
    first      timestamp;
    lowest     uuid;
    above      uuid;
    partition  text;
    made       integer := 0;
begin
    for month in -1..months_ahead loop
        first := this_month + make_interval(months => month);
        partition := 'events_' || to_char(first, 'YYYY_MM');
        continue when to_regclass(partition) is not null;
        perform pg_advisory_xact_lock(hashtextextended('stakemate.event_store.schema', 0));
        continue when to_regclass(partition) is not null;
        lowest := event_store_uuid_floor(first at time zone 'utc');
        above := event_store_uuid_floor((first + interval '1 month') at time zone 'utc');
        lock table events_default in access exclusive mode;
        execute format('create table %I (like events including all)', partition);
        execute format(
            'with moved as (delete from events_default where stream_id >= %L and stream_id < %L returning *)'
            ' insert into %I select * from moved', lowest, above, partition);
        execute format('alter table events attach partition %I for values from (%L) to (%L)', partition, lowest, above);
        made := made + 1;
    end loop;
    return made;
end
$$;

select event_store_make_partitions(3);
