select player_id, name, roles, registered_at from accounts where player_id = $1
