-- Prizes that are withheld from now on.
insert into withheld_prizes (match_id, player_id, hold_id, amount, currency, until_at)
select p.match_id, p.player_id, p.hold_id, p.amount, p.currency, to_timestamp(p.until_ms / 1000.0)
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::bigint[])
         as p (match_id, player_id, hold_id, amount, currency, until_ms)
