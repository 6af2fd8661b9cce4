-- $3 is the time of the claim in milliseconds. A claim that has run out but was not taken by another still holds.
update analysis_jobs
set claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
where game_id = $1 and claimed_by = $2
