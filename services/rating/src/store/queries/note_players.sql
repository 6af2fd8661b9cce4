-- The players' names. Most are known and have not changed: those rows are left alone.
insert into players as p (player_id, name)
select n.player_id, n.name
from unnest($1::uuid[], $2::text[]) as n (player_id, name)
         left join players known on known.player_id = n.player_id
where known.name is distinct from n.name
order by n.player_id
on conflict (player_id) do update set name = excluded.name
