-- Puts an analysis that was given up back into the queue, with all its tries.
update analysis_jobs
set status = 'queued',
    attempts = 0,
    claims_lost = 0,
    not_before = clock_timestamp(),
    cause = null
where game_id = $1
  and status = 'parked'
