-- A game begins. A repeat of the same beginning changes nothing: the log has refused it before this is reached.
insert into games (game_id, match_id, white_id, black_id, started_at_ms, base_ms, increment_ms, stake_minor_units,
                   status, city_id, white_name, black_name, currency, rule_set, table_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
