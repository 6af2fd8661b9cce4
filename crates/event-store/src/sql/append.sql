-- Writes the appends of a batch, each of them whole or not at all, and answers the streams that were written.
--
-- The leading row of each append decides: it loses against any row that stands at its place, even one of a transaction
-- that is still running (ON CONFLICT waits for its end), and the other rows are inserted only where the leading row was.
-- Versions have no gaps, so behind a free place there is nothing to collide with.
-- The order by stream keeps two batches from waiting for each other crosswise. Batches of single private events go by append_single.sql,
-- which must say the same.
--
-- What is written under a grant is written only while its fence stands at the grant's epoch. The fences of the batch are read once, in
-- their order, and their rows are held until the commit: whoever raises an epoch waits for it.
with proposed as (
    select *
    from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::smallint[], $6::bytea[], $7::bytea[],
                $8::bigint[], $9::text[], $10::boolean[], $11::integer[], $12::bigint[])
        as p (stream_id, version, event_id, type, schema, data, metadata, follows, stream_kind, leads, fence, epoch)
),
held as (
    select f.fence, f.epoch
    from fences f
    where f.fence = any($11::integer[])
    order by f.fence
    for share
),
led as (
    insert into events (stream_id, version, event_id, type, schema, data, metadata)
    select p.stream_id, p.version, p.event_id, p.type, p.schema, p.data, p.metadata
    from proposed p
    where p.leads
      and (p.fence is null or (p.fence, p.epoch) in (select h.fence, h.epoch from held h))
      -- A scalar subquery stays an index probe for each row; as a join the planner may choose to read the table.
      and (p.version = 1
           or (select true from events e where e.stream_id = p.stream_id and e.version = p.version - 1))
    order by p.stream_id
    on conflict (stream_id, version) do nothing
    returning stream_id
),
followed as (
    insert into events (stream_id, version, event_id, type, schema, data, metadata)
    select p.stream_id, p.version, p.event_id, p.type, p.schema, p.data, p.metadata
    from proposed p
    join led on led.stream_id = p.stream_id
    where not p.leads
    order by p.stream_id, p.version
),
announced as (
    -- In the order of the versions, so that positions of one stream rise with them.
    insert into outbox (stream_id, version, follows, stream_kind)
    select p.stream_id, p.version, p.follows, p.stream_kind
    from proposed p
    join led on led.stream_id = p.stream_id
    where p.follows is not null
    order by p.stream_id, p.version
)
select stream_id from led
