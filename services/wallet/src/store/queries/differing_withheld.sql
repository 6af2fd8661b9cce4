-- What is withheld of a player's (6) is the sum of his prizes that are.
select 6::smallint,
       coalesce(b.owner_id, p.player_id),
       coalesce(b.currency, p.currency),
       coalesce(b.amount, 0),
       coalesce(p.total, 0)::text
from (select owner_id, currency, amount from balances where kind = 6) b
full join (select player_id, currency, sum(amount) as total
           from withheld_prizes
           where not is_released
           group by player_id, currency) p
          on p.player_id = b.owner_id and p.currency = b.currency
where coalesce(b.amount, 0) <> coalesce(p.total, 0)
limit $1
