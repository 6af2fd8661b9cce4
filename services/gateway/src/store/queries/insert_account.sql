-- Makes an account; no row when another has the name.
insert into accounts (player_id, name, name_key, password_hash, roles, registered_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (name_key) do nothing
