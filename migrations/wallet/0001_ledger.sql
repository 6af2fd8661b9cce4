-- The ledger: a projection of the service's own log, kept in the transaction of each event.
-- Account kinds: 1 available, 2 held, 3 pot, 4 fees, 5 external (stakemate.wallet.v1.AccountKind). Fees and external have no
-- owner, which is written as the nil UUID so that it can stand in a key. All amounts are minor units.

-- Who has an account.
create table accounts (
    player_id uuid primary key,
    name      text not null
);

-- What stands on the accounts of players. Fees and external have entries but no row here: it would be locked by everybody.
-- A pot is filled and emptied within one transaction and needs none.
create table balances (
    kind     smallint not null check (kind in (1, 2)),
    owner_id uuid     not null,
    currency text     not null check (currency ~ '^[A-Z]{3}$'),
    amount   bigint   not null check (amount >= 0),
    primary key (owner_id, currency, kind)
);

-- Double entry: the changes of one transfer sum to zero.
create table entries (
    transfer_id uuid     not null,
    kind        smallint not null check (kind between 1 and 5),
    owner_id    uuid     not null,
    currency    text     not null,
    change      bigint   not null check (change <> 0),
    primary key (transfer_id, kind, owner_id)
);

-- The first outcome of an id is its only one, refusals too.
create table operations (
    id         uuid     primary key,
    input_hash bytea    not null check (length(input_hash) = 32),
    outcome    smallint not null
);

-- What a player reads. Kinds: 1 deposit, 2 hold, 3 payout, 4 refund (stakemate.wallet.v1.TransferKind). The number is drawn
-- while the player's balances are locked, so for one player it rises in the order of the commits.
create table statement_lines (
    player_id        uuid        not null,
    line             bigint      generated always as identity,
    transfer_id      uuid        not null,
    recorded_at      timestamptz not null,
    available_change bigint      not null,
    held_change      bigint      not null,
    available_after  bigint      not null,
    match_id         uuid,
    game_id          uuid,
    fee              bigint,
    kind             smallint    not null,
    currency         text        not null,
    primary key (player_id, line),
    unique (transfer_id, player_id)
);
