-- A request that led to a game is answered with that game when it comes again.
create index matches_white_request on matches (white_request_id);
create index matches_black_request on matches (black_request_id);

-- The number of the rating's change in its pool: a redelivery must not put an older rating over a newer one.
alter table player_ratings add column pool_sequence bigint not null default 0;

-- When the wallet wrote the balance down: streams of accounts and of matches overtake each other.
alter table player_balances add column as_of timestamptz not null default '-infinity';
