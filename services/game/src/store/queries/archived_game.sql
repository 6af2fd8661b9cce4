-- A packed game with the rule set that it was played by.
select a.events, a.started, a.course, r.record
from archived_games a
join archived_rule_sets r using (rule_set_id)
where a.game_id = $1
