-- Whoever decides about the pair's day holds this row, so that the decisions come one after the other.
select first_player_id, second_player_id, day
from pair_days
where stream_id = $1
for update
