-- Players whom fair play keeps from staked queues until a person has decided; from its events.
create table barred_players (
    player_id uuid primary key
);
