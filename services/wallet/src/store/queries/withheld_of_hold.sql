-- A page of the prizes that are withheld under a hold.
select match_id
from withheld_prizes
where hold_id = $1
  and not is_released
  and match_id > $2
order by match_id
limit $3
