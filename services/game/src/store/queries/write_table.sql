-- A table as the events written with this leave it. The log has refused a second writer before this is reached; a second
-- opening with one request id meets the unique key.
insert into tables (table_id, host_id, open_request_id, game_id, version, opened_at_ms, touched_at_ms, seats, is_public,
                    is_open, view)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (table_id) do update
set game_id = excluded.game_id, version = excluded.version, touched_at_ms = excluded.touched_at_ms,
    seats = excluded.seats, is_open = excluded.is_open, view = excluded.view
