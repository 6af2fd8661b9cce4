-- Analyses that were given up, the oldest first.
select game_id, white_player_id, black_player_id, pass, attempts, claims_lost, cause, queued_at
from analysis_jobs
where status = 'parked'
  and (queued_at, game_id) > ($1, $2)
order by queued_at, game_id
limit $3
