//! Players with scored games: the lock, the bar, the prize hold, the standings and the ratings.

use domain_fairplay::Level;
use prost::Message as _;
use proto::fairplay::v1::{Assessment, LevelChange, LevelChanged};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::standing::unix_ms;

/// Changes of level that are shown.
const HISTORY_MAX: i64 = 50;

/// A player's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, sqlx::FromRow)]
pub struct PlayerRow {
    /// Barred from staked queues.
    pub is_barred: bool,
    /// The prize hold in force.
    pub hold_id: Option<Uuid>,
    /// When it ends by itself.
    pub hold_until: Option<OffsetDateTime>,
}

/// A standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The level.
    pub level: Level,
    /// Only games that ended from then on count, in milliseconds since the Unix epoch.
    pub counts_from_ms: i64,
}

/// Locks a player's row, making it if need be: whoever holds it may write his stream.
///
/// # Errors
/// When Postgres does not do it.
pub async fn lock(conn: &mut PgConnection, player_id: Uuid) -> Result<PlayerRow, sqlx::Error> {
    sqlx::query("insert into players (player_id) values ($1) on conflict do nothing")
        .bind(player_id)
        .execute(&mut *conn)
        .await?;
    sqlx::query_as("select is_barred, hold_id, hold_until from players where player_id = $1 for update")
        .bind(player_id)
        .fetch_one(conn)
        .await
}

/// A player's row; the default for one without scored games.
///
/// # Errors
/// When Postgres does not answer.
pub async fn find(executor: impl PgExecutor<'_>, player_id: Uuid) -> Result<PlayerRow, sqlx::Error> {
    let row = sqlx::query_as("select is_barred, hold_id, hold_until from players where player_id = $1")
        .bind(player_id)
        .fetch_optional(executor)
        .await?;
    Ok(row.unwrap_or_default())
}

/// Writes a locked row.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, player_id: Uuid, row: &PlayerRow) -> Result<(), sqlx::Error> {
    sqlx::query("update players set is_barred = $2, hold_id = $3, hold_until = $4 where player_id = $1")
        .bind(player_id)
        .bind(row.is_barred)
        .bind(row.hold_id)
        .bind(row.hold_until)
        .execute(conn)
        .await?;
    Ok(())
}

/// Players whose hold is over, at most so many.
///
/// # Errors
/// When Postgres does not answer.
pub async fn overdue(
    executor: impl PgExecutor<'_>,
    now: OffsetDateTime,
    number_max: i64,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar("select player_id from players where hold_until <= $1 order by hold_until limit $2")
        .bind(now)
        .bind(number_max)
        .fetch_all(executor)
        .await
}

/// A locked player's standing in a time class.
///
/// # Errors
/// When Postgres does not answer.
pub async fn standing(
    conn: &mut PgConnection,
    player_id: Uuid,
    time_class: &str,
) -> Result<Standing, sqlx::Error> {
    let row: Option<(i16, i64)> = sqlx::query_as(
        "select level, counts_from_ms from standings where player_id = $1 and time_class = $2",
    )
    .bind(player_id)
    .bind(time_class)
    .fetch_optional(conn)
    .await?;
    let (level, counts_from_ms) = row.unwrap_or((level_number(Level::NotEnoughData), 0));
    Ok(Standing { level: level_of(level), counts_from_ms })
}

/// Whether one of two players has a standing in a time class.
///
/// # Errors
/// When Postgres does not answer.
pub async fn has_standing(
    conn: &mut PgConnection,
    players: [Uuid; 2],
    time_class: &str,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select exists (select from standings where player_id = any($1) and time_class = $2)")
        .bind(players.as_slice())
        .bind(time_class)
        .fetch_one(conn)
        .await
}

/// The highest level of a locked player.
///
/// # Errors
/// When Postgres does not answer.
pub async fn highest_level(conn: &mut PgConnection, player_id: Uuid) -> Result<Level, sqlx::Error> {
    let level: Option<i16> = sqlx::query_scalar("select max(level) from standings where player_id = $1")
        .bind(player_id)
        .fetch_one(conn)
        .await?;
    Ok(level.map_or(Level::NotEnoughData, level_of))
}

/// Writes a locked player's standing.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put_standing(
    conn: &mut PgConnection,
    player_id: Uuid,
    standing: Standing,
    assessment: &Assessment,
) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/put_standing.sql"))
        .bind(player_id)
        .bind(&assessment.time_class)
        .bind(level_number(standing.level))
        .bind(standing.counts_from_ms)
        .bind(assessment.encode_to_vec())
        .execute(conn)
        .await?;
    Ok(())
}

/// A player's assessments, by time class.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn assessments(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
) -> Result<Vec<Assessment>, sqlx::Error> {
    let rows: Vec<Vec<u8>> = sqlx::query_scalar(
        "select assessment from standings
         where player_id = $1 and assessment is not null order by time_class",
    )
    .bind(player_id)
    .fetch_all(executor)
    .await?;
    let decode = |bytes: Vec<u8>| {
        Assessment::decode(bytes.as_slice()).map_err(|error| sqlx::Error::ColumnDecode {
            index: "assessment".into(),
            source: Box::new(error),
        })
    };
    rows.into_iter().map(decode).collect()
}

/// The last changes of a player's levels, the newest first, from his log.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn history(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
) -> Result<Vec<LevelChange>, sqlx::Error> {
    let rows: Vec<(Vec<u8>, OffsetDateTime)> = sqlx::query_as(
        "select data, recorded_at from events where stream_id = $1 and type = 'LevelChanged'
         order by version desc limit $2",
    )
    .bind(player_id)
    .bind(HISTORY_MAX)
    .fetch_all(executor)
    .await?;
    let change = |(data, recorded_at): (Vec<u8>, OffsetDateTime)| {
        let event = LevelChanged::decode(data.as_slice())
            .map_err(|error| sqlx::Error::ColumnDecode { index: "data".into(), source: Box::new(error) })?;
        Ok(LevelChange {
            changed_at_ms: unix_ms(recorded_at),
            before: event.before,
            after: event.after,
            time_class: event.time_class,
        })
    };
    rows.into_iter().map(change).collect()
}

/// Keeps a rating, unless a later change of the pool is known already.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put_rating(
    conn: &mut PgConnection,
    player_id: Uuid,
    pool: &str,
    rating: (f64, i64),
) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/put_rating.sql"))
        .bind(player_id)
        .bind(pool)
        .bind(rating.0)
        .bind(rating.1)
        .execute(conn)
        .await?;
    Ok(())
}

/// A player's rating in a pool as far as it is known here.
///
/// # Errors
/// When Postgres does not answer.
pub async fn rating(
    conn: &mut PgConnection,
    player_id: Uuid,
    pool: &str,
) -> Result<Option<f64>, sqlx::Error> {
    sqlx::query_scalar("select rating from player_ratings where player_id = $1 and pool = $2")
        .bind(player_id)
        .bind(pool)
        .fetch_optional(conn)
        .await
}

/// The stable number of a level; that of the wire.
#[must_use]
pub fn level_number(level: Level) -> i16 {
    match level {
        Level::NotEnoughData => 1,
        Level::Clean => 2,
        Level::Review => 3,
        Level::Hold => 4,
        Level::Flag => 5,
    }
}

fn level_of(number: i16) -> Level {
    match number {
        2 => Level::Clean,
        3 => Level::Review,
        4 => Level::Hold,
        5 => Level::Flag,
        _ => Level::NotEnoughData,
    }
}
