-- A game that waits for its analysis; nothing when it was queued before.
insert into analysis_jobs (game_id, white_player_id, black_player_id, priority)
values ($1, $2, $3, $4)
on conflict (game_id) do nothing
