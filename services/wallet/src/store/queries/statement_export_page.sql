-- A page of a player's statement by keyset, oldest line first, up to a line that was the last one when the export began.
select line, transfer_id, recorded_at, available_change, held_change, available_after, match_id, game_id, fee, kind,
       currency
from statement_lines
where player_id = $1
  and line > $2
  and line <= $3
  and ($5::timestamptz is null or recorded_at >= $5)
  and ($6::timestamptz is null or recorded_at < $6)
  and (cardinality($7::smallint[]) = 0 or kind = any ($7))
order by line
limit $4
