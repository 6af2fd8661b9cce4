-- The due job that has waited longest, staked games first and of those the ones of which something was noticed, and that nobody is just claiming. $1 is the token, $2 the time of the claim in
-- milliseconds. A running job is due when its claim has run out: its worker is gone.
with due as materialized (
    select game_id
    from analysis_jobs
    where status in ('queued', 'running')
      and case status when 'queued' then not_before else claimed_until end <= clock_timestamp()
    order by priority, queued_at
    limit 1
    for update skip locked
)
update analysis_jobs as job
set status = 'running',
    claimed_by = $1,
    claimed_until = clock_timestamp() + $2 * interval '1 millisecond',
    claims_lost = job.claims_lost + (job.status = 'running')::integer
from due
where job.game_id = due.game_id
returning job.game_id, job.attempts, job.claims_lost, job.second_pass_player
