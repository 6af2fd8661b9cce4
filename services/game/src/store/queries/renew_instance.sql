-- Lives on. An entry that was cleared away is made again; one that another process has under the same name is left alone, and the caller
-- sees that nothing was written.
insert into instances (name, instance_id, expires_at)
values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (name) do update set expires_at = excluded.expires_at
where instances.instance_id = excluded.instance_id
