-- A page of a player's statement by keyset, newest line first.
select line, transfer_id, recorded_at, available_change, held_change, available_after, match_id, game_id, fee, kind,
       currency
from statement_lines
where player_id = $1
  and line < $2
order by line desc
limit $3
