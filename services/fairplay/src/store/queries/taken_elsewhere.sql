-- Places of day $1 that an account of $3 and one of $4 hold together outside of stream $2.
select sum(slots_taken)
from pair_days
where day = $1
  and stream_id <> $2
  and (
      first_player_id = any($3) and second_player_id = any($4)
      or first_player_id = any($4) and second_player_id = any($3)
  )
