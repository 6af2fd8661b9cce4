-- A game begins. A repeat of the same beginning changes nothing: the log has refused it before this is reached. With the ratings
-- of its pool ($16, null for a game that moves no rating) as they are known now. A game at a table that is found by link
-- only is not shown to everybody.
with known as (
    select (select rating from player_ratings where player_id = $3 and pool = $16) as white,
           (select rating from player_ratings where player_id = $4 and pool = $16) as black,
           $16 is not null
               and ($15 is null or exists (select from tables where table_id = $15 and is_public)) as is_shown
)
insert into games (game_id, match_id, white_id, black_id, started_at_ms, base_ms, increment_ms, stake_minor_units,
                   status, city_id, white_name, black_name, currency, rule_set, table_id,
                   white_rating, black_rating, featured_rating)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       white, black, case when is_shown then coalesce(white, $17) + coalesce(black, $17) end
from known
