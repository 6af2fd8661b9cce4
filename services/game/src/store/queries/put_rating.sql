-- A rating after a change, unless a later change of its pool is known already.
insert into player_ratings (player_id, pool, rating, pool_sequence)
values ($1, $2, $3, $4)
on conflict (player_id, pool) do update
set rating = excluded.rating, pool_sequence = excluded.pool_sequence
where player_ratings.pool_sequence <= excluded.pool_sequence
