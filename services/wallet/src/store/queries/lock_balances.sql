-- Locks the rows in the order of the primary key: the same order for everybody is what keeps deadlocks away.
select b.kind, b.owner_id, b.amount
from balances b
where b.currency = $3
  and (b.kind, b.owner_id) in (select k.kind, k.owner_id
                               from unnest($1::smallint[], $2::uuid[]) as k (kind, owner_id))
order by b.owner_id, b.currency, b.kind
for update of b
