//! A pool's changes in their order, as a recomputation follows them.

use domain_glicko::{Pool, Score};
use sqlx::PgConnection;

use super::history::{GAME, HistoryRow};
use super::ratings::{decode_error, rating};
use crate::app::ended_game::{GameId, PlayerId};
use crate::app::rate_game::Standing;
use crate::app::recomputation::{Step, StepKind, StepPlayer};

const STEPS: &str = include_str!("queries/history_steps.sql");
const LAST_SEQUENCE: &str = "select coalesce(max(last_sequence), 0) from rating_pools where pool = $1";

/// Changes that are read at once.
pub const STEPS_PAGE: u64 = 1_000;

/// A score that is none, or a change that concerns nobody.
#[derive(Debug, thiserror::Error)]
#[error("the history holds a row that no change writes")]
struct Damaged;

/// The number of a pool's last change.
pub async fn last_sequence(conn: &mut PgConnection, pool: Pool) -> Result<u64, sqlx::Error> {
    let last: i64 = sqlx::query_scalar(LAST_SEQUENCE).bind(pool.id).fetch_one(conn).await?;
    u64::try_from(last).map_err(|error| decode_error("last_sequence", error))
}

/// The changes from the number `from` on, at most [`STEPS_PAGE`]; the numbers have no gaps.
pub async fn page(conn: &mut PgConnection, pool: Pool, from: u64) -> Result<Vec<Step>, sqlx::Error> {
    let bound = |sequence: u64| i64::try_from(sequence).unwrap_or(i64::MAX);
    let rows: Vec<HistoryRow> = sqlx::query_as(STEPS)
        .bind(pool.id)
        .bind(bound(from))
        .bind(bound(from + STEPS_PAGE))
        .fetch_all(conn)
        .await?;
    rows.chunk_by(|one, other| one.pool_sequence == other.pool_sequence)
        .map(|rows| step(pool, rows))
        .collect()
}

fn step(pool: Pool, rows: &[HistoryRow]) -> Result<Step, sqlx::Error> {
    let first = rows.first().ok_or_else(|| decode_error("pool_sequence", Damaged))?;
    let kind = if first.kind == GAME {
        let score = first.score.and_then(Score::of_points).ok_or_else(|| decode_error("score", Damaged))?;
        StepKind::Game { score, ended_at_ms: first.ended_at_ms }
    } else {
        StepKind::Correction
    };
    let players = rows.iter().map(|row| player(pool, row)).collect::<Result<_, _>>()?;
    Ok(Step { game_id: GameId(first.game_id), kind, players })
}

fn player(pool: Pool, row: &HistoryRow) -> Result<StepPlayer, sqlx::Error> {
    let before = Standing {
        rating: rating(pool, [row.rating_before, row.deviation_before, row.volatility_before])?,
        games: u32::try_from(row.games_before).map_err(|error| decode_error("games_before", error))?,
        last_game_at_ms: row.last_game_before_ms,
    };
    let after = rating(pool, [row.rating_after, row.deviation_after, row.volatility_after])?;
    Ok(StepPlayer { player: PlayerId(row.player_id), before, after })
}
