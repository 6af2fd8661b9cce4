-- New links at the end of the chain.
insert into seals (position, stream_id, version, hash)
select *
from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bytea[])
