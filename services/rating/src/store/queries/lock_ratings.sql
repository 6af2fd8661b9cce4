-- The players' rows, locked in the order of their ids, whoever has White.
select player_id, pool, rating, deviation, volatility, games, last_game_at_ms
from ratings
where pool = $1
  and player_id = any ($2::uuid[])
order by player_id
for update
