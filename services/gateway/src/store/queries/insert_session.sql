-- Opens a session with its first refresh token.
with opened as (
    insert into sessions (session_id, player_id, began_at) values ($1, $2, $3)
)
insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
values ($4, $1, $3, $5)
