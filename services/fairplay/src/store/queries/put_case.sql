-- A case, new or decided.
insert into cases (case_id, player_id, time_class, opened_at_ms, decision, decided_by, reason, decided_at_ms)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (case_id) do update
set decision = excluded.decision,
    decided_by = excluded.decided_by,
    reason = excluded.reason,
    decided_at_ms = excluded.decided_at_ms
