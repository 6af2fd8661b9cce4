-- The rows of a player's available (1) and held (2) account in a currency, unless they are there.
insert into balances (kind, owner_id, currency, amount)
values (1, $1, $2, 0),
       (2, $1, $2, 0)
on conflict do nothing
