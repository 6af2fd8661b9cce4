-- How many players' ratings in a pool are stored otherwise than rebuilt, stored only, or rebuilt only. float8send compares bits:
-- as numbers, 0 and -0 would be the same.
select count(*)
from ratings r
         full join rebuilt_ratings g on g.player_id = r.player_id and g.pool = r.pool
where r.player_id is null
   or g.player_id is null
   or float8send(r.rating) <> float8send(g.rating)
   or float8send(r.deviation) <> float8send(g.deviation)
   or float8send(r.volatility) <> float8send(g.volatility)
   or r.games <> g.games
   or r.last_game_at_ms <> g.last_game_at_ms
