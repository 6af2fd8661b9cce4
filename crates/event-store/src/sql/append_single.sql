-- What append.sql does, for batches of appends that have one event each, none of them public: most of what is ever written. One insert
-- instead of three costs the database about a third less to get ready.
with held as (
    select f.fence, f.epoch
    from fences f
    where f.fence = any($8::integer[])
    order by f.fence
    for share
)
insert into events (stream_id, version, event_id, type, schema, data, metadata)
select p.stream_id, p.version, p.event_id, p.type, p.schema, p.data, p.metadata
from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::smallint[], $6::bytea[], $7::bytea[],
            $8::integer[], $9::bigint[])
    as p (stream_id, version, event_id, type, schema, data, metadata, fence, epoch)
where (p.fence is null or (p.fence, p.epoch) in (select h.fence, h.epoch from held h))
  and (p.version = 1
       or (select true from events e where e.stream_id = p.stream_id and e.version = p.version - 1))
order by p.stream_id
on conflict (stream_id, version) do nothing
returning stream_id
