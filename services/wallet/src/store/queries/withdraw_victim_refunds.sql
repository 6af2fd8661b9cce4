-- The case was decided the other way: what was not paid yet is not owed any more. What was paid stays with who got it.
update victim_refunds
set state = 3, note = '', decided_by = $2, reason = $3, decided_at = $4
where case_id = $1
  and state in (1, 4)
  and decided_at <= $4
