-- The pool's next numbers. The row stays locked until the commit: one change after the other in each pool.
insert into rating_pools as p (pool, last_sequence)
values ($1, $2)
on conflict (pool) do update set last_sequence = p.last_sequence + $2
returning last_sequence - $2
