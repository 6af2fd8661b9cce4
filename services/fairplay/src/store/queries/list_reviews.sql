-- Players at review (3) or above behind the place $1, $2, $3; the highest level first, at most $4.
select standings.level, standings.player_id, standings.time_class, standings.assessment, players.is_barred,
    (
        select count(*) from player_reports
        where player_reports.player_id = standings.player_id
          and reported_at > clock_timestamp() - interval '30 days'
    ) as reports
from standings
join players using (player_id)
where standings.level >= 3
  and standings.assessment is not null
  and (standings.level < $1 or standings.level = $1 and (standings.player_id, standings.time_class) > ($2, $3))
order by standings.level desc, standings.player_id, standings.time_class
limit $4
