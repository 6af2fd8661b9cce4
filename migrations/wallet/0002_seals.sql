-- The hash chain over the log. Every event is noted here in the transaction that writes it, and taken away when it is sealed:
-- a cursor over a number drawn before the commit would skip events that commit late, and a lock that orders all commits would
-- slow them all.
create table unsealed (
    stream_id uuid   not null,
    version   bigint not null,
    primary key (stream_id, version)
);

-- What was written before there was a chain is sealed like everything else.
insert into unsealed (stream_id, version)
select stream_id, version
from events;

-- One link for each event: the SHA-256 of the link before it and of every column of the event.
create table seals (
    position  bigint not null primary key check (position > 0),
    stream_id uuid   not null,
    version   bigint not null,
    hash      bytea  not null check (length(hash) = 32),
    unique (stream_id, version)
);
