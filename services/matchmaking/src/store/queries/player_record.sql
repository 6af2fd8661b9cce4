-- Everything that pairing asks about a player, null where nothing is known yet.
select
    (select rating from player_ratings where player_id = $1 and pool = $2) as rating,
    r.color_balance,
    r.last_opponent_id,
    (extract(epoch from r.last_ended_at) * 1000)::bigint as last_ended_at_ms,
    array(
        select case when first_id = $1 then second_id else first_id end
        from exhausted_pairs
        where day = $4 and (first_id = $1 or second_id = $1)
    ) as exhausted,
    (select available from player_balances where player_id = $1 and currency = $3) as available
from (select 1) as always
left join player_records as r on r.player_id = $1
