-- A page of open tables, newest first: public ones or all ($1), standing somehow or anyhow ($2, the numbers of
-- stakemate.game.v1.TableStatus). Walks the partial index tables_open; a game is looked up by its key.
select t.table_id, t.opened_at_ms, t.view, s.status
from tables t
left join games g on g.game_id = t.game_id
cross join lateral (
    select (case when t.seats < 2 then 1 when g.status = 1 then 2 else 3 end)::smallint as status
) s
where t.is_open
  and (t.is_public or not $1)
  and ($2::smallint is null or s.status = $2)
  and (t.opened_at_ms, t.table_id) < ($3, $4)
order by t.opened_at_ms desc, t.table_id desc
limit $5
