-- A game ends, once: a row that has ended is left alone, and the caller sees that none was changed.
update games
set status = $2, result = $3, end_reason = $4, plies = $5, ended_at_ms = $6
where game_id = $1 and ended_at_ms = 0
