-- Who of some players is barred by fair play, or excluded by himself and still so.
select player_id, bool_or(is_barred)
from (select player_id, true as is_barred
      from barred_players
      where player_id = any ($1::uuid[])
      union all
      select player_id, false
      from excluded_players
      where player_id = any ($1::uuid[])
        and (until_at is null or until_at > now())) kept_out
group by player_id
