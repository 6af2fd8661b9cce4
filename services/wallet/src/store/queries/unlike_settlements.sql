-- A match that was held has one settlement in the log once it is settled, and none before; nothing else has any.
with held as (
    select match_id, bool_and(settled_by is not null) as is_settled, count(distinct coalesce(settled_by, 0)) as endings
    from holds
    group by match_id
),
settled as (
    select stream_id, count(*) as times
    from events
    where type in ('PotPaid', 'StakesRefunded')
    group by stream_id
)
select coalesce(h.match_id, s.stream_id), coalesce(s.times, 0)
from held h
full join settled s on s.stream_id = h.match_id
where h.match_id is null
   or h.endings <> 1
   or coalesce(s.times, 0) <> h.is_settled::integer
limit $1
