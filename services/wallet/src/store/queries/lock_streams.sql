-- Locks streams in one order for everybody, until the end of the transaction.
select pg_advisory_xact_lock(keys.key)
from (select distinct hashtextextended(id::text, 0) as key
      from unnest($1::uuid[]) as ids (id)
      order by key) as keys
