-- What stands on locked rows now.
update balances b
set amount = p.amount
from unnest($1::smallint[], $2::uuid[], $3::text[], $4::bigint[]) as p (kind, owner_id, currency, amount)
where b.kind = p.kind
  and b.owner_id = p.owner_id
  and b.currency = p.currency
