//! The whole of the ratings and their history, replaced by a rebuild inside one transaction.

use sqlx::PgConnection;

use super::copy_rows::CopyRows;
use super::history;
use crate::app::book::Change;
use crate::app::rebuild::Replay;

/// A rebuild of a large log takes longer than any statement or pause of a request may; its indexes are made at once, from all rows.
const SETTINGS: &str = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    set local maintenance_work_mem = '128MB'";
const LOCK: &str = "lock table rating_pools in access exclusive mode";
const CLEAR_HISTORY: &str = include_str!("queries/clear_history.sql");
const INDEX_HISTORY: &str = include_str!("queries/index_history.sql");
const COPY_HISTORY: &str = "copy rating_history (player_id, pool, pool_sequence, game_id, opponent_id, score, rating_before,
    deviation_before, volatility_before, games_before, rating_after, deviation_after, volatility_after, ended_at_ms, kind,
    last_game_before_ms) from stdin (format binary)";
const COPY_REQUESTS: &str = "copy rating_requests (actor_id, request_id, game_id) from stdin (format binary)";
const CREATE_REBUILT: &str = include_str!("queries/create_rebuilt_ratings.sql");
const COPY_REBUILT: &str =
    "copy rebuilt_ratings (player_id, pool, rating, deviation, volatility, games, last_game_at_ms)
    from stdin (format binary)";
const DIFFERING: &str = include_str!("queries/count_differing_ratings.sql");
const REPLACE: &str = include_str!("queries/replace_ratings.sql");
const INSERT_POOL: &str = "insert into rating_pools (pool, last_sequence) values ($1, $2)";

/// Bytes of rows that are sent at once.
const COPY_BYTES_MAX: usize = 1 << 20;

/// Lets nobody rate or correct anything until the end of the transaction, however long it takes: every change begins with its
/// pool's row of this table.
pub async fn lock(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(SETTINGS).execute(&mut *conn).await?;
    sqlx::query(LOCK).execute(conn).await?;
    Ok(())
}

/// Writes the history anew, change by change.
#[derive(Debug)]
pub struct HistoryWriter {
    rows: CopyRows,
    requests: CopyRows,
}

impl HistoryWriter {
    /// Empties the history and takes its indexes off until [`HistoryWriter::finish`].
    pub async fn begin(conn: &mut PgConnection) -> Result<Self, sqlx::Error> {
        sqlx::raw_sql(CLEAR_HISTORY).execute(conn).await?;
        Ok(Self { rows: CopyRows::new(COPY_HISTORY, 16), requests: CopyRows::new(COPY_REQUESTS, 3) })
    }

    /// Takes a change in; it is sent with others.
    pub fn write(&mut self, change: &Change) {
        for row in history::rows(change) {
            self.rows
                .row()
                .uuid(row.player_id)
                .text(&row.pool)
                .bigint(row.pool_sequence)
                .uuid(row.game_id)
                .uuid(row.opponent_id)
                .float_if_any(row.score)
                .float(row.rating_before)
                .float(row.deviation_before)
                .float(row.volatility_before)
                .integer(row.games_before)
                .float(row.rating_after)
                .float(row.deviation_after)
                .float(row.volatility_after)
                .bigint(row.ended_at_ms)
                .text(&row.kind)
                .bigint_if_any(row.last_game_before_ms);
        }
        if let Change::Correction(made) = change {
            let (ruling, game_id) = (&made.correction.ruling, made.correction.game_id);
            self.requests.row().uuid(ruling.actor_id).uuid(ruling.request_id).uuid(game_id.0);
        }
    }

    /// Sends what has come together, if it is enough.
    pub async fn send_if_full(&mut self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.rows.bytes() + self.requests.bytes() > COPY_BYTES_MAX {
            self.send(conn).await?;
        }
        Ok(())
    }

    /// Sends the rest and makes the indexes.
    pub async fn finish(mut self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        self.send(conn).await?;
        sqlx::raw_sql(INDEX_HISTORY).execute(conn).await?;
        Ok(())
    }

    async fn send(&mut self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        self.rows.send(conn).await?;
        self.requests.send(conn).await
    }
}

/// Replaces the ratings by those of the replay. Answers how many had been stored otherwise, to the last bit; missing and superfluous
/// ones count too.
pub async fn replace_ratings(conn: &mut PgConnection, replay: &Replay) -> Result<u64, sqlx::Error> {
    sqlx::query(CREATE_REBUILT).execute(&mut *conn).await?;
    let mut rows = CopyRows::new(COPY_REBUILT, 7);
    for book in replay.books() {
        for (player, standing) in book.standings() {
            let raw = standing.rating.raw();
            rows.row()
                .uuid(player.0)
                .text(book.pool().id)
                .float(raw.rating)
                .float(raw.deviation)
                .float(raw.volatility)
                .integer(i32::try_from(standing.games).unwrap_or(i32::MAX))
                .bigint(standing.last_game_at_ms.unwrap_or_default());
            if rows.bytes() > COPY_BYTES_MAX {
                rows.send(&mut *conn).await?;
            }
        }
    }
    rows.send(&mut *conn).await?;
    let differing: i64 = sqlx::query_scalar(DIFFERING).fetch_one(&mut *conn).await?;
    sqlx::raw_sql(REPLACE).execute(&mut *conn).await?;
    for book in replay.books().iter().filter(|book| book.last_sequence() > 0) {
        sqlx::query(INSERT_POOL)
            .bind(book.pool().id)
            .bind(i64::try_from(book.last_sequence()).unwrap_or(i64::MAX))
            .execute(&mut *conn)
            .await?;
    }
    Ok(differing.unsigned_abs())
}
