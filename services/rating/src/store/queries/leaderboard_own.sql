-- A player's own line.
select r.player_id, r.pool, r.rating, r.deviation, r.volatility, r.games, r.last_game_at_ms, coalesce(p.name, '') as name
from ratings r
         left join players p on p.player_id = r.player_id
where r.pool = $1
  and r.listed_until_ms >= $2
  and r.player_id = $3
