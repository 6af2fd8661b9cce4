//! The projection of the matches, and who sits in one.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::app::cities::TimeControl;
use crate::app::match_process::{Phase, Step};

/// A side of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The player.
    pub player_id: Uuid,
    /// His name.
    pub name: String,
    /// The request that queued him: joining again with it follows the same ticket.
    pub request_id: Uuid,
    /// The rating he was paired by, rounded.
    pub rating: i32,
    /// When his ticket joined, in milliseconds since the Unix epoch: the wait counts on if the match is cancelled.
    pub queued_at_ms: i64,
}

/// A match as the projection has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchRow {
    /// Its id.
    pub match_id: Uuid,
    /// The game it has or will have.
    pub game_id: Uuid,
    /// The city.
    pub city_id: String,
    /// The clock.
    pub time_control: TimeControl,
    /// White.
    pub white: Seat,
    /// Black.
    pub black: Seat,
    /// How far it is.
    pub phase: Phase,
    /// Number of the `CancelReason`, 0 unless cancelled.
    pub cancel_reason: i32,
    /// The player who was the cause, if one was.
    pub cancelled_by: Option<Uuid>,
}

impl MatchRow {
    /// The seat of a player, and the other one.
    #[must_use]
    pub fn seats_from(&self, player_id: Uuid) -> Option<(&Seat, &Seat)> {
        if self.white.player_id == player_id {
            Some((&self.white, &self.black))
        } else if self.black.player_id == player_id {
            Some((&self.black, &self.white))
        } else {
            None
        }
    }
}

/// Inserts a proposed match and seats both players. When one of them sits in another match, nothing of it may be kept.
pub async fn insert(
    conn: &mut PgConnection,
    row: &MatchRow,
    due_in_ms: i64,
) -> Result<Inserted, sqlx::Error> {
    sqlx::query(include_str!("queries/insert_match.sql"))
        .bind(row.match_id)
        .bind(row.game_id)
        .bind(&row.city_id)
        .bind(row.time_control.base_ms)
        .bind(row.time_control.increment_ms)
        .bind(row.white.player_id)
        .bind(&row.white.name)
        .bind(row.white.request_id)
        .bind(row.white.rating)
        .bind(row.white.queued_at_ms)
        .bind(row.black.player_id)
        .bind(&row.black.name)
        .bind(row.black.request_id)
        .bind(row.black.rating)
        .bind(row.black.queued_at_ms)
        .bind(due_in_ms)
        .execute(&mut *conn)
        .await?;
    let seated = sqlx::query(include_str!("queries/seat_players.sql"))
        .bind(row.match_id)
        .bind(vec![row.white.player_id, row.black.player_id])
        .execute(conn)
        .await?;
    Ok(if seated.rows_affected() == 2 { Inserted::Both } else { Inserted::PlayerBusy })
}

/// Whether both players were seated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// Both sit in the new match.
    Both,
    /// One of them sits in another; the transaction is to be rolled back.
    PlayerBusy,
}

/// Brings the projection in step with the log.
pub async fn update(
    conn: &mut PgConnection,
    match_id: Uuid,
    step: Step,
    due_in_ms: i64,
) -> Result<(), sqlx::Error> {
    let (reason, player) = match step {
        Step::Cancel { reason, player } => (i32::from(reason), player),
        _ => (0, None),
    };
    let due_in_ms = matches!(step, Step::RequestStakes).then_some(due_in_ms);
    sqlx::query(include_str!("queries/update_match.sql"))
        .bind(match_id)
        .bind(status(step.leads_to()))
        .bind(reason)
        .bind(player)
        .bind(due_in_ms)
        .execute(&mut *conn)
        .await?;
    if matches!(step, Step::Cancel { .. } | Step::Close) {
        sqlx::query("delete from players_in_match where match_id = $1").bind(match_id).execute(conn).await?;
    }
    Ok(())
}

/// The match with this id.
pub async fn find(executor: impl PgExecutor<'_>, match_id: Uuid) -> Result<Option<MatchRow>, sqlx::Error> {
    let row: Option<Record> = sqlx::query_as(include_str!("queries/find_match.sql"))
        .bind(match_id)
        .fetch_optional(executor)
        .await?;
    Ok(row.map(Into::into))
}

/// The match that a player sits in, if any.
pub async fn of_player(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
) -> Result<Option<MatchRow>, sqlx::Error> {
    let row: Option<Record> = sqlx::query_as(include_str!("queries/match_of_player.sql"))
        .bind(player_id)
        .fetch_optional(executor)
        .await?;
    Ok(row.map(Into::into))
}

/// The match that a player's request led to, if it came to a game: running or over.
pub async fn of_request(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
    request_id: Uuid,
) -> Result<Option<MatchRow>, sqlx::Error> {
    let row: Option<Record> = sqlx::query_as(include_str!("queries/match_of_request.sql"))
        .bind(player_id)
        .bind(request_id)
        .fetch_optional(executor)
        .await?;
    Ok(row.map(Into::into))
}

/// Matches whose step under way is overdue, at most `limit`.
pub async fn overdue(executor: impl PgExecutor<'_>, limit: i64) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar("select match_id from matches where due_at < now() order by due_at limit $1")
        .bind(limit)
        .fetch_all(executor)
        .await
}

/// Games running in each city.
pub async fn playing(executor: impl PgExecutor<'_>) -> Result<Vec<(String, i64)>, sqlx::Error> {
    sqlx::query_as(
        "select city_id, count(*) from matches where status in ('confirmed', 'started') group by city_id",
    )
    .fetch_all(executor)
    .await
}

fn status(phase: Phase) -> &'static str {
    match phase {
        Phase::Absent | Phase::Proposed => "proposed",
        Phase::StakesRequested => "stakes_requested",
        Phase::Confirmed => "confirmed",
        Phase::Started => "started",
        Phase::Closed => "closed",
        Phase::Cancelled => "cancelled",
    }
}

fn phase(status: &str) -> Phase {
    match status {
        "proposed" => Phase::Proposed,
        "stakes_requested" => Phase::StakesRequested,
        "confirmed" => Phase::Confirmed,
        "started" => Phase::Started,
        "closed" => Phase::Closed,
        _ => Phase::Cancelled,
    }
}

#[derive(sqlx::FromRow)]
struct Record {
    match_id: Uuid,
    game_id: Uuid,
    city_id: String,
    base_ms: i64,
    increment_ms: i64,
    white_id: Uuid,
    white_name: String,
    white_request_id: Uuid,
    white_rating: i32,
    white_queued_at_ms: i64,
    black_id: Uuid,
    black_name: String,
    black_request_id: Uuid,
    black_rating: i32,
    black_queued_at_ms: i64,
    status: String,
    cancel_reason: i32,
    cancelled_by: Option<Uuid>,
}

impl From<Record> for MatchRow {
    fn from(record: Record) -> Self {
        Self {
            match_id: record.match_id,
            game_id: record.game_id,
            city_id: record.city_id,
            time_control: TimeControl { base_ms: record.base_ms, increment_ms: record.increment_ms },
            white: Seat {
                player_id: record.white_id,
                name: record.white_name,
                request_id: record.white_request_id,
                rating: record.white_rating,
                queued_at_ms: record.white_queued_at_ms,
            },
            black: Seat {
                player_id: record.black_id,
                name: record.black_name,
                request_id: record.black_request_id,
                rating: record.black_rating,
                queued_at_ms: record.black_queued_at_ms,
            },
            phase: phase(&record.status),
            cancel_reason: record.cancel_reason,
            cancelled_by: record.cancelled_by,
        }
    }
}
