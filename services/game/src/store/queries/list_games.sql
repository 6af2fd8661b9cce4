-- A page of games, newest first, of a city or of all, standing somehow or anyhow. The page goes on after the key ($3, $4).
-- Without a city the index games_newest is walked, with one games_of_city.
select game_id, match_id, white_id, black_id, started_at_ms, ended_at_ms, base_ms, increment_ms, plies,
       status, result, end_reason, city_id, white_name, black_name, table_id
from games
where ($1::text is null or city_id = $1)
  and ($2::smallint is null or status = $2)
  and ($6::smallint is null or result = $6)
  and started_at_ms >= $7 and started_at_ms < $8
  and (started_at_ms, game_id) < ($3, $4)
order by started_at_ms desc, game_id desc
limit $5
