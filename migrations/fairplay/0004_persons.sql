-- Which accounts are one person's, as moderators have found. An account without a row is a person of his own. A person is known by
-- the smallest id of his accounts.
create table persons (
    player_id uuid primary key,
    person_id uuid not null
);
create index persons_accounts on persons (person_id);

-- What a pair has on a day under other names.
create index pair_days_by_day on pair_days (day, first_player_id, second_player_id);
