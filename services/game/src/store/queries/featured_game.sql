-- The running game of the pair with the highest ratings; of two such games the older one. The first row of the partial index
-- games_featured.
select game_id, white_id, white_name, black_id, black_name, white_rating, black_rating, base_ms, increment_ms, rule_set,
       city_id, table_id, started_at_ms
from games
where status = 1 and featured_rating is not null
order by featured_rating desc, started_at_ms, game_id
limit 1
