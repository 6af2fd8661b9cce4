-- The update changes nothing; it makes a row that was there before come back, locked.
insert into match_pairs (match_id, pair_stream_id)
values ($1, $2)
on conflict (match_id) do update
set match_id = excluded.match_id
returning pair_stream_id
