-- The games that have ended and are not packed, the longest ended first. Served by the partial index games_unpacked.
select game_id
from games
where status <> 1 and packing = 0
order by ended_at_ms
limit $1
