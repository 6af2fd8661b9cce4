-- The stored entries of some transfers, for the check against the log.
select transfer_id, kind, owner_id, currency, change
from entries
where transfer_id = any ($1::uuid[])
