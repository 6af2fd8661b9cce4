-- The pool's next number. The row stays locked until the commit: one game after the other in each pool.
insert into rating_pools as p (pool, last_sequence)
values ($1, 1)
on conflict (pool) do update set last_sequence = p.last_sequence + 1
returning last_sequence
