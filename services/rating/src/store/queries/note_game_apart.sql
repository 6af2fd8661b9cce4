-- Games that started and are not of a city.
insert into games_apart (game_id, pool)
select *
from unnest($1::uuid[], $2::text[])
on conflict (game_id) do nothing
