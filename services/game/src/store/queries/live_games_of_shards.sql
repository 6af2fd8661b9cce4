-- The games of some shards that are being played. The last byte of a game's id is its shard. Few rows are live at a time, and the partial
-- index games_live has exactly these.
select game_id
from games
where status = 1 and get_byte(uuid_send(game_id), 15) = any($1)
