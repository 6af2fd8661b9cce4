-- A player's rating in a pool; an older change never replaces a newer one.
insert into player_ratings (player_id, pool, rating, pool_sequence)
values ($1, $2, $3, $4)
on conflict (player_id, pool) do update
set rating = excluded.rating, pool_sequence = excluded.pool_sequence
where player_ratings.pool_sequence < excluded.pool_sequence
