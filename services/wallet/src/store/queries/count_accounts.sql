-- How many of these players have an account.
select count(*)
from accounts
where player_id = any ($1::uuid[])
