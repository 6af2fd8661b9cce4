-- A pair's day without a place taken.
insert into pair_days (stream_id, first_player_id, second_player_id, day)
values ($1, $2, $3, $4)
on conflict (stream_id) do nothing
