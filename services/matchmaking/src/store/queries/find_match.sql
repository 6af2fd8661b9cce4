select
    match_id, game_id, city_id, base_ms, increment_ms,
    white_id, white_name, white_request_id, white_rating, white_queued_at_ms,
    black_id, black_name, black_request_id, black_rating, black_queued_at_ms,
    status, cancel_reason, cancelled_by
from matches
where match_id = $1
