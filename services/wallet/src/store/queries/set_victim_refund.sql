-- How it stands with something owed. Without $6 it waits for money, however long. Answers whether the note is another one, so that it is logged once.
update victim_refunds new
set state = $3, note = $4, transfer_id = $5,
    retry_at = coalesce(now() + make_interval(secs => $6), 'infinity')
from victim_refunds old
where new.case_id = $1 and new.game_id = $2
  and old.case_id = $1 and old.game_id = $2
returning old.note <> new.note
