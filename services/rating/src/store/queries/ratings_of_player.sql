-- All ratings of a player.
select player_id, pool, rating, deviation, volatility, games, last_game_at_ms
from ratings
where player_id = $1
