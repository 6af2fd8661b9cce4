-- Gross deposits of a player in the last day, week and month (the opening gift left out, payments that wait for their provider
-- included: they may come in at any moment), what the games of the last day cost less what they won, and what is at stake.
with deposits as (
    select recorded_at as at, available_change as amount
    from statement_lines
    where player_id = $1
      and currency = $2
      and kind = 1
      and recorded_at > $5
      and transfer_id <> $6
    union all
    select created_at, amount
    from payments
    where player_id = $1
      and currency = $2
      and state = 1
      and created_at > $5
),
deposited as (
    select coalesce(sum(amount) filter (where at > $3), 0) as day,
           coalesce(sum(amount) filter (where at > $4), 0) as week,
           coalesce(sum(amount), 0) as month
    from deposits
),
lost as (
    select coalesce(sum(-(available_change::numeric + held_change)), 0) as day
    from statement_lines
    where player_id = $1
      and currency = $2
      and kind = 3
      and recorded_at > $3
)
select least(deposited.day, 9223372036854775807)::bigint as deposited_day,
       least(deposited.week, 9223372036854775807)::bigint as deposited_week,
       least(deposited.month, 9223372036854775807)::bigint as deposited_month,
       greatest(least(lost.day, 9223372036854775807), -9223372036854775807)::bigint as lost_day,
       coalesce((select amount from balances where owner_id = $1 and currency = $2 and kind = 2), 0) as at_stake
from deposited, lost
