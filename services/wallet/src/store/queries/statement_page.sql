-- A page of a player's statement by keyset, newest line first.
select line, transfer_id, recorded_at, available_change, held_change, available_after, match_id, game_id, fee, kind,
       currency
from statement_lines
where player_id = $1
  and line < $2
  and ($4::timestamptz is null or recorded_at >= $4)
  and ($5::timestamptz is null or recorded_at < $5)
  and (cardinality($6::smallint[]) = 0 or kind = any ($6))
order by line desc
limit $3
