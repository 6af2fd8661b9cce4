-- Uses one refresh token up and issues the next of its session. Whoever comes with an older one gets nothing any more: its
-- successor, which is this one, has been used.
with used as (
    update refresh_tokens set used_at = $2, successor = $5 where token_hash = $1 returning session_id
), settled as (
    update refresh_tokens set successor = null
    where session_id = (select session_id from used) and token_hash <> $1 and successor is not null
)
insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
select $3, session_id, $2, $4 from used
