-- A newly proposed match. $16 is the time its step under way may take, in milliseconds.
insert into matches (
    match_id, game_id, city_id, base_ms, increment_ms,
    white_id, white_name, white_request_id, white_rating, white_queued_at_ms,
    black_id, black_name, black_request_id, black_rating, black_queued_at_ms,
    status, due_at
) values (
    $1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10,
    $11, $12, $13, $14, $15,
    'proposed', now() + $16 * interval '1 millisecond'
)
