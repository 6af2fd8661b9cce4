-- Who is alive, and for how many milliseconds more.
select name, instance_id, (extract(epoch from expires_at - clock_timestamp()) * 1000)::bigint as left_ms
from instances
where expires_at > clock_timestamp()
