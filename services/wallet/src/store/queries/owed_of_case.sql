-- What is owed because of a case, the oldest games first.
select case_id, game_id, match_id, player_id, winner_id, stake, currency, decided_by, reason
from victim_refunds
where case_id = $1
  and state = 1
order by game_id
for update
