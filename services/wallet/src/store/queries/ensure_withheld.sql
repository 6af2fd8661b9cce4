-- The rows of some players' withheld (6) accounts, unless they are there. In the order of the key, as all rows are taken.
insert into balances (kind, owner_id, currency, amount)
select distinct 6::smallint, p.owner_id, p.currency, 0::bigint
from unnest($1::uuid[], $2::text[]) as p (owner_id, currency)
order by p.owner_id, p.currency
on conflict do nothing
