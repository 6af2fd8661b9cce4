-- Entries of all accounts sum to zero in each currency.
select currency, sum(change)::text as sum
from entries
group by currency
having sum(change) <> 0
order by currency
limit $1
