-- What a used refresh token was exchanged for, so that a client whose answer was lost gets the same one again for a short time.
-- Sealed with the used token itself, which is not kept: who reads this table cannot open it. Gone once the successor is used.
alter table refresh_tokens
    add column successor bytea check (octet_length(successor) = 32);
