-- The first answers to commands, by an id derived from who asked and his request id: refusals too, with their code, message and
-- details.
create table command_answers (
    id          uuid        primary key,
    input_hash  bytea       not null check (length(input_hash) = 32),
    code        integer     not null,
    body        bytea       not null,
    details     bytea       not null,
    answered_at timestamptz not null default now()
);

-- Payments through a provider. States: 1 pending, 2 settled, 3 failed (stakemate.wallet.v1.PaymentState for the first two).
create table payments (
    payment_id uuid        primary key,
    player_id  uuid        not null,
    amount     bigint      not null check (amount > 0),
    currency   text        not null,
    state      smallint    not null default 1,
    created_at timestamptz not null default now()
);
create index payments_pending on payments (player_id) where state = 1;

-- What a provider has told, once each: its event brings money once, however often it is delivered.
create table provider_events (
    provider text not null,
    event_id text not null,
    primary key (provider, event_id)
);

-- Adjustments that need a second person. States: stakemate.wallet.v1.AdjustmentState.
create table adjustments (
    adjustment_id uuid        primary key,
    player_id     uuid        not null,
    amount        bigint      not null check (amount <> 0),
    currency      text        not null,
    reason        text        not null,
    proposed_by   uuid        not null,
    proposed_at   timestamptz not null default now(),
    state         smallint    not null default 1
);
create index adjustments_proposed on adjustments (proposed_at, adjustment_id) where state = 1;

-- What was reversed, and by which transfer: once.
create table reversals (
    transfer_id uuid primary key,
    reversal_id uuid not null unique
);

-- Statements by time, and what was deposited and lost lately.
create index statement_lines_by_time on statement_lines (player_id, recorded_at);
