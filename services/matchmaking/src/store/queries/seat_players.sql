-- Seats both players, in the order of their ids so that two proposals cannot wait for each other in a circle.
insert into players_in_match (player_id, match_id)
select player_id, $1
from unnest($2::uuid[]) as player_id
order by player_id
on conflict (player_id) do nothing
