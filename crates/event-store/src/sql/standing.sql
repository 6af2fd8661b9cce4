-- For appends that were not written: where their stream stands, whether all their events stand at their places byte for byte (so that
-- they were written before), and where their fence stands.
--
-- Every event is compared, and all of it: two appends of different requests may begin with the same bytes, and only what the log holds
-- may be acknowledged.
select p.stream_id,
       coalesce((select e.version from events e where e.stream_id = p.stream_id order by e.version desc limit 1), 0)
           as actual,
       -- A scalar subquery stays an index probe for each row; as a join the planner may choose to read the table.
       bool_and(coalesce(
           (select (e.event_id, e.type, e.schema, e.data, e.metadata)
                   is not distinct from (p.event_id, p.type, p.schema, p.data, p.metadata)
            from events e where e.stream_id = p.stream_id and e.version = p.version),
           false)) as stands,
       (select f.epoch from fences f where f.fence = p.fence) as epoch
from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::smallint[], $6::bytea[], $7::bytea[], $8::integer[])
    as p (stream_id, version, event_id, type, schema, data, metadata, fence)
group by p.stream_id, p.fence
