-- Debits, credits and balances of all accounts of a kind. Each owner's entries are summed first: counting distinct owners of
-- all entries would sort them all.
select currency,
       kind,
       count(*)                     as accounts,
       sum(entries)::bigint         as entries,
       sum(debit)::bigint           as debit,
       sum(credit)::bigint          as credit,
       sum(credit - debit)::bigint  as balance
from (select currency,
             kind,
             owner_id,
             count(*)                                              as entries,
             coalesce(sum(-change) filter (where change < 0), 0)   as debit,
             coalesce(sum(change) filter (where change > 0), 0)    as credit
      from entries
      group by currency, kind, owner_id) as accounts
group by currency, kind
order by currency, kind
