-- A finished game of a player. $2 is 1 for White and -1 for Black, $4 milliseconds since the Unix epoch. Games are counted in
-- any order; the last opponent is that of the game which ended last.
insert into player_records (player_id, color_balance, last_opponent_id, last_ended_at)
values ($1, $2, $3, to_timestamp($4::double precision / 1000))
on conflict (player_id) do update
set color_balance = player_records.color_balance + excluded.color_balance,
    last_opponent_id = case
        when excluded.last_ended_at >= player_records.last_ended_at then excluded.last_opponent_id
        else player_records.last_opponent_id
    end,
    last_ended_at = greatest(excluded.last_ended_at, player_records.last_ended_at)
