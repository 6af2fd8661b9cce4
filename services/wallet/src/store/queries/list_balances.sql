-- A player's available (1), held (2) and withheld (6) money side by side.
select currency,
       coalesce(sum(amount) filter (where kind = 1), 0)::bigint as available,
       coalesce(sum(amount) filter (where kind = 2), 0)::bigint as held,
       coalesce(sum(amount) filter (where kind = 6), 0)::bigint as withheld
from balances
where owner_id = $1
group by currency
order by currency
limit $2
