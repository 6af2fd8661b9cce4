-- Entries of each transfer sum to zero.
select transfer_id
from entries
group by transfer_id, currency
having sum(change) <> 0
limit $1
