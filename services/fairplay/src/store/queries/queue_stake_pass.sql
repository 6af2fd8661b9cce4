-- A second pass over game $1 for the side that had none, if its job is over.
update analysis_jobs as job
set status = 'queued',
    pass = 2,
    second_pass_player = side.player_id,
    attempts = 0,
    claims_lost = 0,
    queued_at = clock_timestamp(),
    not_before = clock_timestamp()
from (select player_id from side_evidence where game_id = $1 and pass = 1 order by player_id limit 1) as side
where job.game_id = $1 and job.status = 'ready'
