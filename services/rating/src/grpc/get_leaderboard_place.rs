//! A player's place on a pool's leaderboard, with those around him, on one view of the data.

use domain_glicko::Pool;
use proto::rating::v1::{GetLeaderboardPlaceRequest, GetLeaderboardPlaceResponse};
use service_kit::fields::Violations;
use service_kit::ids;
use service_kit::status::from_sqlx;
use sqlx::{PgConnection, PgPool};
use tonic::{Response, Status};
use uuid::Uuid;

use super::{convert, now_ms, status};
use crate::store::leaderboard::{self, Board, Counts, Line};

/// Lines on either side at most.
const NEIGHBOURS_MAX: u32 = 50;

const READ_ONLY: &str = "begin isolation level repeatable read read only";

pub(super) async fn handle(
    pool: &PgPool,
    request: GetLeaderboardPlaceRequest,
) -> Result<Response<GetLeaderboardPlaceResponse>, Status> {
    let mut bad = Violations::default();
    let player_id = bad.check("player_id", ids::parse(&request.player_id));
    if request.neighbours > NEIGHBOURS_MAX {
        bad.add("neighbours", format!("must be from 0 to {NEIGHBOURS_MAX}"));
    }
    let Some(player_id) = player_id else {
        return Err(bad.into_status());
    };
    bad.finish()?;
    let Some(rating_pool) = Pool::find(&request.pool) else {
        return Err(status::pool_unknown(&request.pool));
    };
    let board = Board { pool: rating_pool.id, now_ms: now_ms() };
    let found = around(pool, board, player_id, i64::from(request.neighbours))
        .await
        .map_err(|error| from_sqlx(&error))?;
    let Some(around) = found else {
        return Err(status::player_not_listed());
    };
    let place = around.counts.above.unsigned_abs() + 1;
    let first_place = place - around.lines_above as u64;
    let placed = (first_place..).zip(around.lines).collect();
    Ok(Response::new(GetLeaderboardPlaceResponse {
        entries: convert::entries(rating_pool, placed, board.now_ms).map_err(|error| from_sqlx(&error))?,
        place,
        listed: around.counts.listed.unsigned_abs(),
        percentile: percentile(around.counts),
    }))
}

/// The lines around a player's, and his own.
struct Around {
    lines: Vec<Line>,
    lines_above: usize,
    counts: Counts,
}

async fn around(
    pool: &PgPool,
    board: Board<'_>,
    player_id: Uuid,
    neighbours: i64,
) -> Result<Option<Around>, sqlx::Error> {
    let mut tx = pool.begin_with(READ_ONLY).await?;
    let Some(own) = leaderboard::own(&mut tx, board, player_id).await? else {
        return Ok(None);
    };
    let found = lines_around(&mut tx, board, own, neighbours).await?;
    tx.rollback().await?;
    Ok(Some(found))
}

async fn lines_around(
    conn: &mut PgConnection,
    board: Board<'_>,
    own: Line,
    neighbours: i64,
) -> Result<Around, sqlx::Error> {
    let mark = own.mark();
    let counts = leaderboard::counts(conn, board, mark).await?;
    let mut lines = leaderboard::above(&mut *conn, board, mark, neighbours).await?;
    let lines_above = lines.len();
    lines.push(own);
    lines.extend(leaderboard::below(&mut *conn, board, mark, neighbours).await?);
    Ok(Around { lines, lines_above, counts })
}

/// How many of 100 others are rated lower.
fn percentile(counts: Counts) -> f64 {
    let others = counts.listed - 1;
    if others < 1 {
        return 100.0;
    }
    counts.lower as f64 * 100.0 / others as f64
}
