-- What is owed and may be looked at again, by the time of the decision: its time has come, or it waits for money and the house's fund (7)
-- holds as much. What another instance looks at is left to it.
select case_id, game_id, match_id, player_id, winner_id, stake, currency, decided_by, reason
from victim_refunds owed
where state = 1
  and (retry_at <= now()
       or retry_at = 'infinity'
          and exists (select from balances fund
                      where fund.kind = 7
                        and fund.owner_id = '00000000-0000-0000-0000-000000000000'
                        and fund.currency = owed.currency
                        and fund.amount >= owed.stake))
order by decided_at, case_id, game_id
limit $1
for update of owed skip locked
