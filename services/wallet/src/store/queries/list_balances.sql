-- A player's available (1) and held (2) money side by side.
select currency,
       coalesce(sum(amount) filter (where kind = 1), 0)::bigint as available,
       coalesce(sum(amount) filter (where kind = 2), 0)::bigint as held
from balances
where owner_id = $1
group by currency
order by currency
limit $2
