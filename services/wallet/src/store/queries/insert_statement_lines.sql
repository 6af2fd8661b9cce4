-- One line of a player's statement. The time is that of the transaction, the same for both players of a game.
insert into statement_lines (player_id, transfer_id, recorded_at, available_change, held_change, available_after,
                             match_id, game_id, fee, kind, currency)
values ($1, $2, now(), $3, $4, $5, $6, $7, $8, $9, $10)
