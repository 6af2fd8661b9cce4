-- Open tables where nothing has happened for long, no game is running, and none has just ended.
select t.table_id
from tables t
left join games g on g.game_id = t.game_id
where t.is_open and t.touched_at_ms < $1 and coalesce(g.status <> 1 and g.ended_at_ms < $1, true)
order by t.touched_at_ms
limit $2
