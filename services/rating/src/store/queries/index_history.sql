-- The history's indexes, as the migrations make them.
alter table rating_history add primary key (player_id, pool, pool_sequence);
create unique index rating_history_game on rating_history (game_id, player_id) where kind = 'game';
create unique index rating_history_voided on rating_history (game_id, player_id) where kind = 'voided';
create index rating_history_order on rating_history (pool, pool_sequence);
