-- An account by its name in lower case; two changes of its roles must not cross.
select player_id, name, roles, registered_at from accounts where name_key = $1 for update
