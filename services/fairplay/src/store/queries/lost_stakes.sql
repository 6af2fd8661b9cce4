-- The opponents of player $1 in those of the games $2 that he won, with what they had staked.
select
    case when white_player_id = $1 then black_player_id else white_player_id end as player_id,
    game_id, match_id, stake_minor_units, currency
from staked_games
where game_id = any($2)
  and (white_player_id = $1 and white_score = 1 or black_player_id = $1 and white_score = 0)
order by ended_at_ms, game_id
