-- Whom a player does not want to meet, kept in the transaction of each event of his stream of blocks.
create table blocked_players (
    player_id  uuid        not null,
    blocked_id uuid        not null,
    blocked_at timestamptz not null,
    primary key (player_id, blocked_id)
);

-- Players who keep themselves from playing, from the events of the wallet. Without an end it is for ever.
create table excluded_players (
    player_id uuid primary key,
    until_at  timestamptz
);
