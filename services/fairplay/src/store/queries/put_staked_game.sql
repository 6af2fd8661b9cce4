-- A staked game that ended; nothing when it is known.
insert into staked_games (
    game_id, ended_at_ms, pool, stake_minor_units, currency, white_player_id, black_player_id, white_rating, black_rating,
    white_score, loser_gave_up, plies, opening, white_left_share, black_left_share, match_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
on conflict (game_id) do nothing
