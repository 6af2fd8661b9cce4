-- Accounts, and what keeps people signed in.

create table accounts (
    player_id     uuid        primary key,
    name          text        not null,
    -- The name in lower case: names are unique without regard to case.
    name_key      text        not null unique check (name_key = lower(name)),
    -- Argon2id in PHC form; the parameters stand in it, so they can be raised without a migration.
    password_hash text        not null,
    roles         text[]      not null,
    registered_at timestamptz not null
);

-- One row a sign-in. Ending it ends every refresh token that came of it.
create table sessions (
    session_id uuid        primary key,
    player_id  uuid        not null references accounts,
    began_at   timestamptz not null,
    ended_at   timestamptz,
    ended_by   text        check (ended_by in ('sign_out', 'reuse')),
    check ((ended_at is null) = (ended_by is null))
);

create index sessions_player on sessions (player_id);

-- Only hashes: who reads this table cannot sign in with it. Used tokens stay until they end, to recognise a second use.
create table refresh_tokens (
    token_hash bytea       primary key check (octet_length(token_hash) = 32),
    session_id uuid        not null references sessions on delete cascade,
    issued_at  timestamptz not null,
    expires_at timestamptz not null,
    used_at    timestamptz
);

create index refresh_tokens_session on refresh_tokens (session_id);
create index refresh_tokens_expires on refresh_tokens (expires_at);
