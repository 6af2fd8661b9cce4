-- A page of a player's games, newest first. A player sits on one side of a game, so the two halves never overlap; each
-- walks the index of its side and stops after a page.
(
    select game_id, match_id, white_id, black_id, started_at_ms, ended_at_ms, base_ms, increment_ms, plies,
           status, result, end_reason, city_id, white_name, black_name, table_id
    from games
    where white_id = $6
      and ($7::uuid is null or black_id = $7)
      and ($1::text is null or city_id = $1)
      and ($2::smallint is null or status = $2)
      and ($8::smallint is null or result = $8)
      and started_at_ms >= $9 and started_at_ms < $10
      and (started_at_ms, game_id) < ($3, $4)
    order by started_at_ms desc, game_id desc
    limit $5
)
union all
(
    select game_id, match_id, white_id, black_id, started_at_ms, ended_at_ms, base_ms, increment_ms, plies,
           status, result, end_reason, city_id, white_name, black_name, table_id
    from games
    where black_id = $6
      and ($7::uuid is null or white_id = $7)
      and ($1::text is null or city_id = $1)
      and ($2::smallint is null or status = $2)
      and ($8::smallint is null or result = $8)
      and started_at_ms >= $9 and started_at_ms < $10
      and (started_at_ms, game_id) < ($3, $4)
    order by started_at_ms desc, game_id desc
    limit $5
)
order by started_at_ms desc, game_id desc
limit $5
