-- Where players stand after their games.
insert into ratings (player_id, pool, rating, deviation, volatility, games, last_game_at_ms)
select *
from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::integer[], $7::bigint[])
on conflict (player_id, pool) do update
    set rating          = excluded.rating,
        deviation       = excluded.deviation,
        volatility      = excluded.volatility,
        games           = excluded.games,
        last_game_at_ms = excluded.last_game_at_ms
