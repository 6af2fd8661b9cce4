-- Balances are what changes most, and only their amount does: with room on its page a row is changed there, no index is touched, and what is
-- dead is cleared away by whoever comes by next.
alter table balances set (fillfactor = 50);
