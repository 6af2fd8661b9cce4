-- How the stakes of some matches ended.
update holds h
set settled_by = s.settled_by
from unnest($1::uuid[], $2::smallint[]) as s (match_id, settled_by)
where h.match_id = s.match_id
