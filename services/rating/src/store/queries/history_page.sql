-- A page of a player's history in a pool by keyset, newest first.
select player_id, pool, pool_sequence, game_id, opponent_id, score, rating_before, deviation_before, volatility_before,
       games_before, rating_after, deviation_after, volatility_after, ended_at_ms, kind, last_game_before_ms
from rating_history
where player_id = $1
  and pool = $2
  and pool_sequence < $3
  and ended_at_ms >= $4
  and ended_at_ms < $5
order by pool_sequence desc
limit $6
