-- Takes shards that are nobody's: released, held by somebody who has expired, or by the taker itself from before. The new epoch shuts out
-- whatever is still under way under the old one. A row that somebody holds for a write at this moment is left for the next try, so that a
-- transaction of a process that was stopped in its middle holds up one shard and not all.
with free as (
    select f.fence
    from fences f
    where f.fence = any($2)
      and (f.holder is null
           or f.holder = $1
           or not exists (select from instances i where i.instance_id = f.holder and i.expires_at > clock_timestamp()))
    order by f.fence
    for update of f skip locked
)
update fences f
set epoch = f.epoch + 1, holder = $1
from free
where f.fence = free.fence
returning f.fence, f.epoch
