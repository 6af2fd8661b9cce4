-- Prizes whose time is over, the longest first.
select match_id
from withheld_prizes
where not is_released
  and until_at <= $1
order by until_at, match_id
limit $2
