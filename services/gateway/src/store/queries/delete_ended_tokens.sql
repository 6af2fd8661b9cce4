-- Refresh tokens that ended before $1, at most $2 of them.
delete from refresh_tokens
where token_hash in (select token_hash from refresh_tokens where expires_at < $1 limit $2)
