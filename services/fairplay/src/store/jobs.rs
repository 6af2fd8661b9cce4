//! The queue of analyses.

use std::time::Duration;

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// A job in hand. The token tells this claim from any other of the same job, so that a worker that comes late does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The game.
    pub game_id: Uuid,
    /// The token.
    pub token: Uuid,
    /// Tries that failed before.
    pub attempts: u32,
    /// Claims that ran out before, because their workers were gone.
    pub claims_lost: u32,
    /// Whose moves are looked at again; nobody's in a first pass.
    pub second_pass_of: Option<Uuid>,
}

/// A game for the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewJob {
    /// The game.
    pub game_id: Uuid,
    /// Who had White.
    pub white_id: Uuid,
    /// Who had Black.
    pub black_id: Uuid,
    /// What goes first.
    pub priority: Priority,
}

/// What goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// A staked game of which something was noticed without an engine.
    Noticed = -1,
    /// A staked game.
    Staked = 0,
    /// A game without a stake, which others are held against.
    History = 1,
}

/// Queues a game; false if it was queued before.
pub async fn insert(conn: &mut PgConnection, job: NewJob) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query(include_str!("queries/insert_job.sql"))
        .bind(job.game_id)
        .bind(job.white_id)
        .bind(job.black_id)
        .bind(job.priority as i16)
        .execute(conn)
        .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Claims the job that has waited longest, if any is due. A running job whose claim has run out is due too.
pub async fn claim(
    executor: impl PgExecutor<'_>,
    claim_time: Duration,
) -> Result<Option<Claim>, sqlx::Error> {
    let token = Uuid::now_v7();
    let claimed: Option<(Uuid, i32, i32, Option<Uuid>)> =
        sqlx::query_as(include_str!("queries/claim_job.sql"))
            .bind(token)
            .bind(millis(claim_time))
            .fetch_optional(executor)
            .await?;
    Ok(claimed.map(|(game_id, attempts, claims_lost, second_pass_of)| Claim {
        game_id,
        token,
        attempts: attempts.unsigned_abs(),
        claims_lost: claims_lost.unsigned_abs(),
        second_pass_of,
    }))
}

/// Lets a claim hold on from now; false when it is lost.
pub async fn extend(
    executor: impl PgExecutor<'_>,
    claim: &Claim,
    claim_time: Duration,
) -> Result<bool, sqlx::Error> {
    let extended = sqlx::query(include_str!("queries/extend_claim.sql"))
        .bind(claim.game_id)
        .bind(claim.token)
        .bind(millis(claim_time))
        .execute(executor)
        .await?;
    Ok(extended.rows_affected() == 1)
}

/// Puts a job back as if it had not been claimed.
pub async fn hand_back(executor: impl PgExecutor<'_>, claim: &Claim) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/hand_back_job.sql"))
        .bind(claim.game_id)
        .bind(claim.token)
        .execute(executor)
        .await?;
    Ok(())
}

/// Puts a job back after a failed try.
pub async fn retry_later(
    executor: impl PgExecutor<'_>,
    claim: &Claim,
    delay: Duration,
    cause: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/retry_job.sql"))
        .bind(claim.game_id)
        .bind(claim.token)
        .bind(millis(delay))
        .bind(cause)
        .execute(executor)
        .await?;
    Ok(())
}

/// How a job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End<'a> {
    /// The report is there.
    Ready,
    /// It was given up.
    Parked {
        /// Why.
        cause: &'a str,
    },
}

/// Ends a job; false when the claim is lost.
pub async fn end(conn: &mut PgConnection, claim: &Claim, end: End<'_>) -> Result<bool, sqlx::Error> {
    let (status, cause) = match end {
        End::Ready => ("ready", None),
        End::Parked { cause } => ("parked", Some(cause)),
    };
    let ended = sqlx::query(include_str!("queries/end_job.sql"))
        .bind(claim.game_id)
        .bind(claim.token)
        .bind(status)
        .bind(cause)
        .execute(conn)
        .await?;
    Ok(ended.rows_affected() == 1)
}

/// A job that was given up.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ParkedJob {
    /// The game.
    pub game_id: Uuid,
    /// Who had White.
    pub white_player_id: Uuid,
    /// Who had Black.
    pub black_player_id: Uuid,
    /// 1 or 2.
    pub pass: i16,
    /// Tries that failed.
    pub attempts: i32,
    /// Claims that ran out.
    pub claims_lost: i32,
    /// What went wrong last.
    pub cause: Option<String>,
    /// When it was queued.
    pub queued_at: OffsetDateTime,
}

/// Jobs that were given up, behind a place, the oldest first.
pub async fn parked(
    executor: impl PgExecutor<'_>,
    after: (OffsetDateTime, Uuid),
    limit: i64,
) -> Result<Vec<ParkedJob>, sqlx::Error> {
    sqlx::query_as(include_str!("queries/parked_jobs.sql"))
        .bind(after.0)
        .bind(after.1)
        .bind(limit)
        .fetch_all(executor)
        .await
}

/// Puts a job that was given up back into the queue; false when it was not given up.
pub async fn retry_parked(conn: &mut PgConnection, game_id: Uuid) -> Result<bool, sqlx::Error> {
    let retried =
        sqlx::query(include_str!("queries/retry_parked_job.sql")).bind(game_id).execute(conn).await?;
    Ok(retried.rows_affected() == 1)
}

/// Queues a second pass over a player's last games, those that had none and whose job is over.
pub async fn queue_second_pass(
    conn: &mut PgConnection,
    player_id: Uuid,
    time_class: &str,
    games_max: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/queue_second_pass.sql"))
        .bind(player_id)
        .bind(time_class)
        .bind(games_max)
        .execute(conn)
        .await?;
    Ok(())
}

/// Queues a second pass over a game, whoever played it, for a side that had none and if its job is over.
pub async fn queue_stake_pass(conn: &mut PgConnection, game_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/queue_stake_pass.sql")).bind(game_id).execute(conn).await?;
    Ok(())
}

/// Games without a stake that were queued for one of two players in the last day, for him who has more.
pub async fn history_today(conn: &mut PgConnection, players: [Uuid; 2]) -> Result<i64, sqlx::Error> {
    let mut most = 0;
    for player_id in players {
        let queued: i64 = sqlx::query_scalar(
            "select count(*) from analysis_jobs
             where priority = 1 and (white_player_id = $1 or black_player_id = $1)
               and queued_at > clock_timestamp() - interval '1 day'",
        )
        .bind(player_id)
        .fetch_one(&mut *conn)
        .await?;
        most = most.max(queued);
    }
    Ok(most)
}

/// Jobs that are not over.
pub async fn open_count(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("select count(*) from analysis_jobs where status in ('queued', 'running')")
        .fetch_one(executor)
        .await
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
