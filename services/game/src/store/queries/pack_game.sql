-- Keeps a packed game. A game that another instance has packed meanwhile is left as it is: the bytes are the same.
insert into archived_games (game_id, rule_set_id, events, started, course, tags)
values ($1, $2, $3, $4, $5, $6)
on conflict (game_id) do nothing
