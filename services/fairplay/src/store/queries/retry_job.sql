-- A failed try. $3 is the wait before the next one in milliseconds.
update analysis_jobs
set status = 'queued',
    claimed_by = null,
    claimed_until = null,
    attempts = attempts + 1,
    not_before = clock_timestamp() + $3 * interval '1 millisecond',
    cause = $4
where game_id = $1 and claimed_by = $2
