-- Follows the log. $5 is the time the next answer may take, in milliseconds, null when none is awaited.
update matches
set status = $2,
    cancel_reason = $3,
    cancelled_by = $4,
    due_at = now() + $5 * interval '1 millisecond'
where match_id = $1
