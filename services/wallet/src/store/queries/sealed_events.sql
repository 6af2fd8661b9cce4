-- Links of the chain in their order, each with its event as it stands now.
select s.position, s.hash, s.stream_id, s.version, e.event_id, e.type as kind, e.schema, e.data, e.metadata,
       (extract(epoch from e.recorded_at) * 1000000)::bigint as recorded_at_us
from seals s
left join events e on e.stream_id = s.stream_id and e.version = s.version
where s.position > $1
order by s.position
limit $2
