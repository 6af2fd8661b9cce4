-- The end of a job, for the holder of its claim only. A parked job has had one more try.
update analysis_jobs
set status = $3,
    claimed_by = null,
    claimed_until = null,
    attempts = attempts + ($3 = 'parked')::integer,
    cause = $4
where game_id = $1 and claimed_by = $2
