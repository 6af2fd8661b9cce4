-- A stake that was lost is told to the wallet with its match, which is what a stake is known by there. Unknown for games before this.
alter table staked_games add column match_id uuid;

-- What a pair has played lately is asked whenever a game of it ends.
create index staked_games_by_pair
    on staked_games (least(white_player_id, black_player_id), greatest(white_player_id, black_player_id), ended_at_ms);

-- What was given up is listed for the operator.
create index analysis_jobs_parked on analysis_jobs (queued_at, game_id) where status = 'parked';
