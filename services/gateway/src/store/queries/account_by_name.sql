select player_id, name, roles, registered_at, password_hash from accounts where name_key = $1
