-- How many are listed around a mark; answered by the index alone.
select count(*) filter (where rating > $3 or (rating = $3 and player_id < $4)) as above,
       count(*) filter (where rating < $3)                                     as lower,
       count(*)                                                                as listed
from ratings
where pool = $1
  and listed_until_ms >= $2
