-- A player's last games in a time class, the oldest first; ties by the game's id, so that the order is always the same.
select game_id, pass, side
from (
    select game_id, pass, side, ended_at_ms
    from side_evidence
    where player_id = $1 and time_class = $2 and ended_at_ms >= $3 and is_staked = $5
    order by ended_at_ms desc, game_id desc
    limit $4
) as latest
order by ended_at_ms, game_id
