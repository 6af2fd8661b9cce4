-- What the house makes good: stakes that were lost to somebody against whom fair play has decided a case. Account kind 7 is the fund it
-- is paid from.
alter table balances
    drop constraint balances_kind_check,
    add constraint balances_kind_check check (kind in (1, 2, 6, 7));
alter table entries
    drop constraint entries_kind_check,
    add constraint entries_kind_check check (kind between 1 and 7);

-- One row for each case and game. States: 1 owed, 2 paid, 3 withdrawn before it was paid, 4 not covered by the policy, 5 refused
-- (stakemate.wallet.v1.VictimRefundState).
create table victim_refunds (
    case_id     uuid        not null,
    game_id     uuid        not null,
    -- Unknown for games that ended before fair play noted it.
    match_id    uuid,
    -- Who lost, and who won.
    player_id   uuid        not null,
    winner_id   uuid        not null,
    stake       bigint      not null check (stake > 0),
    currency    text        not null check (currency ~ '^[A-Z]{3}$'),
    decided_by  uuid        not null,
    reason      text        not null,
    decided_at  timestamptz not null,
    state       smallint    not null check (state between 1 and 5),
    -- What it waits for, or why it was refused, for the operator.
    note        text        not null default '',
    -- Not looked at before. With infinity it waits until the fund holds as much.
    retry_at    timestamptz not null default now(),
    -- Of the one that was paid; of two cases about one game only the first pays.
    transfer_id uuid unique,
    primary key (case_id, game_id)
);
create index victim_refunds_owed on victim_refunds (retry_at) where state = 1;
create index victim_refunds_listed on victim_refunds (decided_at, case_id, game_id);
