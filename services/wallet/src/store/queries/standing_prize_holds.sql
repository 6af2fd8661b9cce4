-- The holds over some players' prizes that stand, the one that ends last at the end. They are locked against being ended: whoever
-- ends one must see the prizes that are withheld under it.
select player_id, hold_id, until_at
from prize_holds
where player_id = any ($1::uuid[])
  and not is_over
  and until_at > $2
order by player_id, until_at, hold_id
for share
