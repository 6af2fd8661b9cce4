-- A finished game of a player. $2 is 1 for White and -1 for Black, $4 milliseconds since the Unix epoch.
insert into player_records (player_id, color_balance, last_opponent_id, last_ended_at)
values ($1, $2, $3, to_timestamp($4::double precision / 1000))
on conflict (player_id) do update
set color_balance = player_records.color_balance + excluded.color_balance,
    last_opponent_id = excluded.last_opponent_id,
    last_ended_at = excluded.last_ended_at
