-- Uses one refresh token up and issues the next of its session.
with used as (
    update refresh_tokens set used_at = $2 where token_hash = $1 returning session_id
)
insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
select $3, session_id, $2, $4 from used
