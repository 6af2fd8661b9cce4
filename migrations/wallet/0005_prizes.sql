-- Prizes that fair play has asked to hold. Account kind 6 is what is withheld of a player's.
alter table balances
    drop constraint balances_kind_check,
    add constraint balances_kind_check check (kind in (1, 2, 6));
alter table entries
    drop constraint entries_kind_check,
    add constraint entries_kind_check check (kind between 1 and 6);

-- The holds that fair play has placed, from its events. A prize that is won while one stands is withheld.
create table prize_holds (
    hold_id   uuid        primary key,
    player_id uuid        not null,
    until_at  timestamptz not null,
    is_over   boolean     not null default false
);
create index prize_holds_standing on prize_holds (player_id) where not is_over;

-- The prizes that are or were withheld, kept in the transaction of each event.
create table withheld_prizes (
    match_id    uuid        primary key,
    player_id   uuid        not null,
    hold_id     uuid        not null,
    amount      bigint      not null check (amount > 0),
    currency    text        not null,
    until_at    timestamptz not null,
    is_released boolean     not null default false
);
create index withheld_prizes_of_hold on withheld_prizes (hold_id) where not is_released;
create index withheld_prizes_due on withheld_prizes (until_at) where not is_released;
