//! Signs of collusion that were raised.

use prost::Message as _;
use proto::fairplay::v1::CollusionSignal;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Signs that are shown with a player or a game.
pub const SHOWN_MAX: i64 = 50;

/// A sign to write.
#[derive(Debug, Clone)]
pub struct NewSignal<'a> {
    /// Its id.
    pub signal_id: Uuid,
    /// The number of its kind.
    pub kind: i16,
    /// Whom it is known by.
    pub subject: &'a [Uuid],
    /// The last day that was looked at.
    pub day: i32,
    /// All players in it.
    pub parties: &'a [Uuid],
    /// Its games.
    pub games: &'a [Uuid],
    /// As it is sent.
    pub signal: &'a CollusionSignal,
}

/// Begins a day's look; false when it was looked at before, or is being looked at.
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin_day(conn: &mut PgConnection, day: i32) -> Result<bool, sqlx::Error> {
    let begun = sqlx::query("insert into collusion_days (day) values ($1) on conflict do nothing")
        .bind(day)
        .execute(conn)
        .await?;
    Ok(begun.rows_affected() == 1)
}

/// Notes what a day's look came to.
///
/// # Errors
/// When Postgres does not do it.
pub async fn end_day(
    conn: &mut PgConnection,
    day: i32,
    tests: usize,
    raised: usize,
) -> Result<(), sqlx::Error> {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    sqlx::query("update collusion_days set tests = $2, raised = $3 where day = $1")
        .bind(day)
        .bind(number(tests))
        .bind(number(raised))
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether a sign of this kind and subject was raised in the days behind `after_day`.
///
/// # Errors
/// When Postgres does not answer.
pub async fn is_known(
    conn: &mut PgConnection,
    kind: i16,
    subject: &[Uuid],
    after_day: i32,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select exists (select from collusion_signals where kind = $1 and subject = $2 and day > $3)",
    )
    .bind(kind)
    .bind(subject)
    .bind(after_day)
    .fetch_one(conn)
    .await
}

/// Writes a sign.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, new: &NewSignal<'_>) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into collusion_signals (signal_id, kind, subject, day, signal) values ($1, $2, $3, $4, $5)",
    )
    .bind(new.signal_id)
    .bind(new.kind)
    .bind(new.subject)
    .bind(new.day)
    .bind(new.signal.encode_to_vec())
    .execute(&mut *conn)
    .await?;
    sqlx::query("insert into collusion_parties (player_id, signal_id) select unnest($2::uuid[]), $1")
        .bind(new.signal_id)
        .bind(new.parties)
        .execute(&mut *conn)
        .await?;
    sqlx::query("insert into collusion_games (game_id, signal_id) select unnest($2::uuid[]), $1")
        .bind(new.signal_id)
        .bind(new.games)
        .execute(conn)
        .await?;
    Ok(())
}

/// Signs before one, the newest first.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn list(
    executor: impl PgExecutor<'_>,
    before: Uuid,
    size: u32,
) -> Result<Vec<CollusionSignal>, sqlx::Error> {
    let rows = sqlx::query_scalar(
        "select signal from collusion_signals where signal_id < $1 order by signal_id desc limit $2",
    )
    .bind(before)
    .bind(i64::from(size))
    .fetch_all(executor)
    .await?;
    read(rows)
}

/// The last signs in which one of these players has a part.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn of_players(
    executor: impl PgExecutor<'_>,
    players: &[Uuid],
) -> Result<Vec<CollusionSignal>, sqlx::Error> {
    let rows = sqlx::query_scalar(
        "select signal from collusion_signals
         where signal_id in (select signal_id from collusion_parties where player_id = any($1))
         order by signal_id desc limit $2",
    )
    .bind(players)
    .bind(SHOWN_MAX)
    .fetch_all(executor)
    .await?;
    read(rows)
}

/// The last signs in which a game has a part.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn of_game(
    executor: impl PgExecutor<'_>,
    game_id: Uuid,
) -> Result<Vec<CollusionSignal>, sqlx::Error> {
    let rows = sqlx::query_scalar(
        "select signal from collusion_signals join collusion_games using (signal_id)
         where game_id = $1 order by signal_id desc limit $2",
    )
    .bind(game_id)
    .bind(SHOWN_MAX)
    .fetch_all(executor)
    .await?;
    read(rows)
}

fn read(rows: Vec<Vec<u8>>) -> Result<Vec<CollusionSignal>, sqlx::Error> {
    let decode = |bytes: Vec<u8>| {
        CollusionSignal::decode(bytes.as_slice())
            .map_err(|error| sqlx::Error::ColumnDecode { index: "signal".into(), source: Box::new(error) })
    };
    rows.into_iter().map(decode).collect()
}
