-- For appends that were not written: where their stream stands, which event is at the place they wanted, and where their fence stands.
select p.stream_id,
       coalesce((select e.version from events e where e.stream_id = p.stream_id order by e.version desc limit 1), 0)
           as actual,
       (select e.event_id from events e where e.stream_id = p.stream_id and e.version = p.version) as event_id,
       (select f.epoch from fences f where f.fence = p.fence) as epoch
from unnest($1::uuid[], $2::bigint[], $3::integer[]) as p (stream_id, version, fence)
