-- What changes did to their players.
insert into rating_history (player_id, pool, pool_sequence, game_id, opponent_id, score, rating_before, deviation_before,
                            volatility_before, games_before, rating_after, deviation_after, volatility_after, ended_at_ms,
                            kind, last_game_before_ms)
select *
from unnest($1::uuid[], $2::text[], $3::bigint[], $4::uuid[], $5::uuid[], $6::float8[], $7::float8[], $8::float8[],
            $9::float8[], $10::integer[], $11::float8[], $12::float8[], $13::float8[], $14::bigint[], $15::text[],
            $16::bigint[])
