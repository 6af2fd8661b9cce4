-- Ends a session that is open.
update sessions set ended_at = $2, ended_by = $3 where session_id = $1 and ended_at is null
