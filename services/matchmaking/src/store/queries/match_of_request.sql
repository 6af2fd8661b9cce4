-- The match that a player's request led to, if it came to a game.
select
    match_id, game_id, city_id, base_ms, increment_ms,
    white_id, white_name, white_request_id, white_rating, white_queued_at_ms,
    black_id, black_name, black_request_id, black_rating, black_queued_at_ms,
    status, cancel_reason, cancelled_by
from matches
where status in ('started', 'closed')
  and ((white_request_id = $2 and white_id = $1) or (black_request_id = $2 and black_id = $1))
limit 1
