-- Stakes that are held now.
insert into holds (match_id, player_id, game_id, stake, currency)
select *
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[])
