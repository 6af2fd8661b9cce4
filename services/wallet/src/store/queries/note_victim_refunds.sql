-- Notes what was lost in the games of a case that was decided against a player. What was withdrawn is owed again; what is owed or was
-- paid stays as it is, and so does what an older decision says.
insert into victim_refunds (case_id, game_id, match_id, player_id, winner_id, stake, currency, decided_by, reason, decided_at, state, note)
select $1, l.game_id, l.match_id, l.player_id, $2, l.stake, l.currency, $3, $4, $5, l.state, l.note
from unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::bigint[], $10::text[], $11::smallint[], $12::text[])
     as l (game_id, match_id, player_id, stake, currency, state, note)
order by l.game_id
on conflict (case_id, game_id) do update
set decided_by = excluded.decided_by,
    reason     = excluded.reason,
    decided_at = excluded.decided_at,
    state      = excluded.state,
    note       = excluded.note,
    retry_at   = now()
where victim_refunds.state = 3
  and victim_refunds.decided_at <= excluded.decided_at
