-- What was paid to victims is what their statements say, line by line.
select coalesce(r.transfer_id, l.transfer_id)
from (select transfer_id, player_id, stake, currency, state from victim_refunds where transfer_id is not null) r
full join (select transfer_id, player_id, available_change, currency from statement_lines where kind = 11) l
          on l.transfer_id = r.transfer_id
where r.transfer_id is null
   or l.transfer_id is null
   or r.state <> 2
   or r.player_id <> l.player_id
   or r.stake <> l.available_change
   or r.currency <> l.currency
limit $1
