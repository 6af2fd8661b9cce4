-- A game's analysis with its report, which is there if and only if the status is ready.
select j.status, j.white_player_id, j.black_player_id, r.report
from analysis_jobs as j
left join reports as r using (game_id)
where j.game_id = $1
