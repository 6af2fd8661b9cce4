-- The next events to seal, oldest first. An event that is gone before it was sealed stays noted, and the check finds it.
select e.stream_id, e.version, e.event_id, e.type as kind, e.schema, e.data, e.metadata,
       (extract(epoch from e.recorded_at) * 1000000)::bigint as recorded_at_us
from unsealed u
join events e on e.stream_id = u.stream_id and e.version = u.version
order by e.recorded_at, e.stream_id, e.version
limit $1
