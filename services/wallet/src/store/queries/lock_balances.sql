-- Locks the rows in the order of the primary key: the same order for everybody is what keeps deadlocks away.
select b.kind, b.owner_id, b.currency, b.amount
from balances b
where (b.kind, b.owner_id, b.currency) in (select k.kind, k.owner_id, k.currency
                                           from unnest($1::smallint[], $2::uuid[], $3::text[])
                                               as k (kind, owner_id, currency))
order by b.owner_id, b.currency, b.kind
for update of b
