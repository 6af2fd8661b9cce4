-- Games without a stake are analysed too, after the staked ones: what a player does for nothing is what his staked games are held
-- against.
alter table side_evidence add column is_staked boolean not null default true;

-- 0 a staked game, 1 a game without a stake.
alter table analysis_jobs add column priority smallint not null default 0;
create index analysis_jobs_due on analysis_jobs (priority, queued_at) where status in ('queued', 'running');
drop index analysis_jobs_open;
create index analysis_jobs_history_white on analysis_jobs (white_player_id, queued_at) where priority = 1;
create index analysis_jobs_history_black on analysis_jobs (black_player_id, queued_at) where priority = 1;
