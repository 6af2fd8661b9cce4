-- The first outcome of an id, with the digest of what was asked.
insert into operations (id, input_hash, outcome)
values ($1, $2, $3)
