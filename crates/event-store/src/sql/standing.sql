-- For appends that were not written: where their stream stands, and which event is at the place they wanted.
select p.stream_id,
       coalesce((select e.version from events e where e.stream_id = p.stream_id order by e.version desc limit 1), 0)
           as actual,
       (select e.event_id from events e where e.stream_id = p.stream_id and e.version = p.version) as event_id
from unnest($1::uuid[], $2::bigint[]) as p (stream_id, version)
