-- A second pass over the last $3 games of player $1 in time class $2. The rows are locked in order, so that two players of one
-- game do not wait in a circle; a job that waits for one player's pass is taken for the other when it is over.
with latest as (
    select game_id, pass
    from side_evidence
    where player_id = $1 and time_class = $2 and is_staked
    order by ended_at_ms desc, game_id desc
    limit $3
), due as materialized (
    select job.game_id
    from analysis_jobs as job
    join latest using (game_id)
    where latest.pass = 1 and job.status = 'ready'
    order by job.game_id
    for update of job
)
update analysis_jobs as job
set status = 'queued',
    pass = 2,
    second_pass_player = $1,
    attempts = 0,
    claims_lost = 0,
    queued_at = clock_timestamp(),
    not_before = clock_timestamp()
from due
where job.game_id = due.game_id
