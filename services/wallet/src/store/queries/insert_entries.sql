-- The entries of some postings.
insert into entries (transfer_id, kind, owner_id, currency, change)
select * from unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[], $5::bigint[])
