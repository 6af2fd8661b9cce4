-- A page of what players lost to cheats, by the time of the decision.
select case_id, game_id, match_id, player_id, winner_id, stake, currency, state, note, decided_by, reason, decided_at, transfer_id
from victim_refunds
where (decided_at, case_id, game_id) > ($1, $2, $3)
  and ($4::smallint = 0 or state = $4)
order by decided_at, case_id, game_id
limit $5
