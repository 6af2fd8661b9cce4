-- Enters an instance in the place of whoever had its name before: what that one held is free with this. Clears away those that have been
-- gone for long.
with gone as (
    delete from instances where expires_at < clock_timestamp() - interval '1 hour' and name <> $1
)
insert into instances (name, instance_id, expires_at)
values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (name) do update set instance_id = excluded.instance_id, expires_at = excluded.expires_at
