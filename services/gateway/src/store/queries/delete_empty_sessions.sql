-- Sessions that began before $1 and have no refresh token left, at most $2 of them.
delete from sessions
where session_id in (
    select session_id
    from sessions
    where began_at < $1
      and not exists (select 1 from refresh_tokens where refresh_tokens.session_id = sessions.session_id)
    limit $2
)
