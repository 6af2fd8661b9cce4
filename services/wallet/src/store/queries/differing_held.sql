-- What a player has held (2) is the sum of the stakes of the open holds.
select 2::smallint,
       coalesce(b.owner_id, h.player_id),
       coalesce(b.currency, h.currency),
       coalesce(b.amount, 0),
       coalesce(h.total, 0)::text
from (select owner_id, currency, amount from balances where kind = 2) b
full join (select player_id, currency, sum(stake) as total
           from holds
           where settled_by is null
           group by player_id, currency) h
          on h.player_id = b.owner_id and h.currency = b.currency
where coalesce(b.amount, 0) <> coalesce(h.total, 0)
limit $1
