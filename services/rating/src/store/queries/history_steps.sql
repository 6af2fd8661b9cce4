-- A stretch of a pool's changes, with whom they concerned.
select player_id, pool, pool_sequence, game_id, opponent_id, score, rating_before, deviation_before, volatility_before,
       games_before, rating_after, deviation_after, volatility_after, ended_at_ms, kind, last_game_before_ms
from rating_history
where pool = $1
  and pool_sequence >= $2
  and pool_sequence < $3
order by pool_sequence, player_id
