-- Ends the session that a refresh token belongs to, if it is open.
update sessions set ended_at = $2, ended_by = 'sign_out'
where session_id = (select session_id from refresh_tokens where token_hash = $1) and ended_at is null
