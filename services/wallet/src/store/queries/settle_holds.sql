-- How the stakes of some matches ended. The rows are found by their key and then by their place, whatever the planner thinks of the
-- table's size: as a join by match it may read the table from end to end. Nobody else changes them: the streams of the matches are locked.
update holds h
set settled_by = found.settled_by
from (select held.place, s.settled_by
      from unnest($1::uuid[], $2::smallint[]) as s (match_id, settled_by)
      cross join lateral (select o.ctid as place from holds o where o.match_id = s.match_id offset 0) held) found
where h.ctid = found.place
