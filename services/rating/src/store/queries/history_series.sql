-- A player's rating in a pool over time. When there are more changes than points, the time from the first to the last is cut into as many
-- equal parts, and the last change of each stands for it.
with changes as (
    select pool_sequence, ended_at_ms, rating_after, deviation_after
    from rating_history
    where player_id = $1
      and pool = $2
      and ended_at_ms >= $3
      and ended_at_ms < $4
),
span as (
    select count(*) as changes, min(ended_at_ms) as from_ms, max(ended_at_ms) + 1 as to_ms
    from changes
)
select distinct on (part) ended_at_ms, rating_after, deviation_after
from changes,
     span,
     lateral (select case
                         when span.changes <= $5 then changes.pool_sequence
                         else div((changes.ended_at_ms - span.from_ms)::numeric * $5, span.to_ms - span.from_ms)::bigint
                     end as part) parts
order by part, pool_sequence desc
