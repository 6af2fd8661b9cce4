-- What an account may do from now on.
update accounts set roles = $2 where player_id = $1
