-- The rebuilt ratings in the place of the stored ones.
truncate rating_pools, ratings;
insert into ratings (player_id, pool, rating, deviation, volatility, games, last_game_at_ms)
select player_id, pool, rating, deviation, volatility, games, last_game_at_ms
from rebuilt_ratings;
