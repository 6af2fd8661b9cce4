-- The listed players below a mark, the best first. The first condition on the rating is where the index begins.
select r.player_id, r.pool, r.rating, r.deviation, r.volatility, r.games, r.last_game_at_ms, coalesce(p.name, '') as name
from ratings r
         left join players p on p.player_id = r.player_id
where r.pool = $1
  and r.listed_until_ms >= $2
  and r.rating <= $3
  and (r.rating < $3 or r.player_id > $4)
order by r.rating desc, r.player_id
limit $5
