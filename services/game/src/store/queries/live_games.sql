-- The games that are being played, the oldest first, a page at a time. Served by the partial index games_live.
select game_id, started_at_ms
from games
where status = 1 and (started_at_ms, game_id) > ($1, $2)
order by started_at_ms, game_id
limit $3
