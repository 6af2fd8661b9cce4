-- The staked games of two players since a time, and how many each has won.
select count(*),
       count(*) filter (where white_player_id = $1 and white_score = 1 or black_player_id = $1 and white_score = 0),
       count(*) filter (where white_player_id = $2 and white_score = 1 or black_player_id = $2 and white_score = 0)
from staked_games
where least(white_player_id, black_player_id) = least($1, $2)
  and greatest(white_player_id, black_player_id) = greatest($1, $2)
  and ended_at_ms >= $3
