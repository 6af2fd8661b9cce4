//! Positions that an engine has searched: what it said depends on the position, the engine and the nodes alone, so it is looked
//! up rather than searched again. Losing this table costs engine time and nothing else.

use std::collections::HashMap;

use domain_fairplay::{Color, PlyEvaluation};
use prost::Message as _;
use proto::fairplay::v1 as wire;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::report::{evaluation_from_wire, lines_to_wire};

/// The namespace of the keys.
const NAMESPACE: Uuid = Uuid::from_u128(0x1f0c_93a5_64e2_4d0b_9a77_c5b2_0e8d_4136);
/// Days for which a position is kept.
pub const DAYS_KEPT: i32 = 30;
/// Positions forgotten in one step.
const FORGET_MAX: i64 = 10_000;

/// The name of a position with everything that its evaluation depends on.
#[must_use]
pub fn key(engine: &str, nodes: u64, multi_pv: u16, fen: &str) -> Uuid {
    Uuid::new_v5(&NAMESPACE, format!("{engine}|{nodes}|{multi_pv}|{fen}").as_bytes())
}

/// A position that was searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    key: Uuid,
    lines: Vec<u8>,
}

impl Found {
    /// What was said of the position with this key, in which `turn` is to move.
    #[must_use]
    pub fn new(key: Uuid, turn: Color, evaluation: &PlyEvaluation) -> Self {
        let lines = lines_to_wire(turn, Some(evaluation));
        Self { key, lines: wire::PlyReport { lines, ..Default::default() }.encode_to_vec() }
    }
}

/// What is known of positions, by key; the argument tells who is to move in each.
///
/// # Errors
/// When Postgres does not answer.
pub async fn find(
    executor: impl PgExecutor<'_>,
    turns: &HashMap<Uuid, Color>,
) -> Result<HashMap<Uuid, PlyEvaluation>, sqlx::Error> {
    let keys: Vec<Uuid> = turns.keys().copied().collect();
    let rows: Vec<(Uuid, Vec<u8>)> =
        sqlx::query_as("select key, lines from searched_positions where key = any($1)")
            .bind(keys)
            .fetch_all(executor)
            .await?;
    let known = rows.into_iter().filter_map(|(key, lines)| {
        // One that cannot be read is searched again.
        let stored = wire::PlyReport::decode(lines.as_slice()).ok()?;
        Some((key, evaluation_from_wire(*turns.get(&key)?, &stored.lines)))
    });
    Ok(known.collect())
}

/// Keeps positions that were found.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(executor: impl PgExecutor<'_>, found: &[Found]) -> Result<(), sqlx::Error> {
    let keys: Vec<Uuid> = found.iter().map(|found| found.key).collect();
    let lines: Vec<&[u8]> = found.iter().map(|found| found.lines.as_slice()).collect();
    sqlx::query(
        "insert into searched_positions (key, lines) select * from unnest($1::uuid[], $2::bytea[])
         on conflict do nothing",
    )
    .bind(keys)
    .bind(lines)
    .execute(executor)
    .await?;
    Ok(())
}

/// Forgets old positions, at most a step's worth, and says how many.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget_old(executor: impl PgExecutor<'_>) -> Result<u64, sqlx::Error> {
    let forgotten = sqlx::query(
        "delete from searched_positions where key in (
             select key from searched_positions where found_at < clock_timestamp() - $1 * interval '1 day' limit $2
         )",
    )
    .bind(DAYS_KEPT)
    .bind(FORGET_MAX)
    .execute(executor)
    .await?;
    Ok(forgotten.rows_affected())
}
