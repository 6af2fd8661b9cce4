-- The lines of statements that some transfers led to.
select player_id, transfer_id, available_change, held_change, available_after, match_id, game_id, fee, kind, currency
from statement_lines
where transfer_id = any ($1::uuid[])
