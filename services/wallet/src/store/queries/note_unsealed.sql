-- What was just written and is to be sealed.
insert into unsealed (stream_id, version)
select *
from unnest($1::uuid[], $2::bigint[])
