-- The instances of the service that are alive. Each renews its one row; whose a shard is stands in `fences`, whose rows change only when a
-- shard changes hands, because every write looks at them.
create table instances (
    -- What an instance is called over its restarts.
    name        text        not null primary key,
    -- One process.
    instance_id uuid        not null unique,
    -- By the clock of the database, which is the only one that is asked.
    expires_at  timestamptz not null
);
