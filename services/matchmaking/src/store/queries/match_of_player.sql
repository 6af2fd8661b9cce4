-- The match that is not over and in which the player sits; he sits in one at most.
select
    m.match_id, m.game_id, m.city_id, m.base_ms, m.increment_ms,
    m.white_id, m.white_name, m.white_request_id, m.white_rating, m.white_queued_at_ms,
    m.black_id, m.black_name, m.black_request_id, m.black_rating, m.black_queued_at_ms,
    m.status, m.cancel_reason, m.cancelled_by
from players_in_match as p
inner join matches as m using (match_id)
where p.player_id = $1
