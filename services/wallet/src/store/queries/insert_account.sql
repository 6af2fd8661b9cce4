-- The account of a player, once.
insert into accounts (player_id, name)
values ($1, $2)
