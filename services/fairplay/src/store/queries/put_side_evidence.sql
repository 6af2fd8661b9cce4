-- The evidence of a side. A second pass replaces a first, and a repeated first pass changes nothing.
insert into side_evidence (player_id, game_id, time_class, ended_at_ms, pass, side, is_staked)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (player_id, game_id) do update
set pass = excluded.pass, side = excluded.side
where side_evidence.pass < excluded.pass
