-- What stands on an available (1), held (2) or withheld (6) account, or in the house's fund (7), is the sum of its entries.
select coalesce(b.kind, e.kind),
       coalesce(b.owner_id, e.owner_id),
       coalesce(b.currency, e.currency),
       coalesce(b.amount, 0),
       coalesce(e.total, 0)::text
from balances b
full join (select kind, owner_id, currency, sum(change) as total
           from entries
           where kind in (1, 2, 6, 7)
           group by kind, owner_id, currency) e
          on e.kind = b.kind and e.owner_id = b.owner_id and e.currency = b.currency
where coalesce(b.amount, 0) <> coalesce(e.total, 0)
limit $1
