-- Matches whose stakes are held, by keyset.
select distinct match_id
from holds
where settled_by is null
  and match_id > $1
order by match_id
limit $2
