-- Staked games that ended from $1 on and before $2, the newest $3 of them; of one person's own accounts among themselves too.
select
    game.game_id, game.ended_at_ms, game.pool, game.stake_minor_units, game.currency, game.white_player_id, game.black_player_id,
    game.white_rating, game.black_rating, game.white_score, game.loser_gave_up, game.plies, game.opening, game.white_left_share,
    game.black_left_share, game.white_mean_loss, game.black_mean_loss, game.white_last_chance,
    white.registered_at_ms as white_registered_at_ms,
    black.registered_at_ms as black_registered_at_ms
from staked_games as game
left join accounts as white on white.player_id = game.white_player_id
left join accounts as black on black.player_id = game.black_player_id
where game.ended_at_ms >= $1 and game.ended_at_ms < $2
order by game.ended_at_ms desc, game.game_id desc
limit $3
