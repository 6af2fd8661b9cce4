-- A player's standing in a time class.
insert into standings (player_id, time_class, level, counts_from_ms, assessment)
values ($1, $2, $3, $4, $5)
on conflict (player_id, time_class) do update
set level = excluded.level, counts_from_ms = excluded.counts_from_ms, assessment = excluded.assessment
