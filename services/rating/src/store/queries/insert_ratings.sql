-- Many ratings into the emptied table.
insert into ratings (player_id, pool, rating, deviation, volatility, games, last_game_at_ms)
select *
from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::integer[], $7::bigint[])
