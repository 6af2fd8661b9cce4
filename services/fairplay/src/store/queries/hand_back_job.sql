-- A job that was not tried to its end, through no fault of its own.
update analysis_jobs
set status = 'queued', claimed_by = null, claimed_until = null
where game_id = $1 and claimed_by = $2
