-- Where a player stands after a game.
insert into ratings (player_id, pool, rating, deviation, volatility, games, last_game_at_ms)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (player_id, pool) do update
    set rating          = excluded.rating,
        deviation       = excluded.deviation,
        volatility      = excluded.volatility,
        games           = excluded.games,
        last_game_at_ms = excluded.last_game_at_ms
