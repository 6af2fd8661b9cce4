-- A refresh token with its session and account. The session is locked too: two rotations of one session, or a rotation
-- and a sign-out, must not cross.
select refresh_tokens.session_id,
       refresh_tokens.expires_at,
       refresh_tokens.used_at,
       refresh_tokens.successor,
       sessions.ended_at,
       accounts.player_id,
       accounts.name,
       accounts.roles,
       accounts.registered_at
from refresh_tokens
join sessions using (session_id)
join accounts using (player_id)
where token_hash = $1
for update of sessions, refresh_tokens
