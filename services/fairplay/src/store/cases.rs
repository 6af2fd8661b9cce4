//! Cases and players' reports of each other.

use proto::fairplay::v1::{CaseDecision, FairplayCase};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// A case's row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct CaseRow {
    /// The case.
    pub case_id: Uuid,
    /// The player.
    pub player_id: Uuid,
    /// The time class whose level opened it.
    pub time_class: String,
    /// When, in milliseconds since the Unix epoch.
    pub opened_at_ms: i64,
    /// The number of its decision on the wire.
    pub decision: i16,
    /// Who decided last.
    pub decided_by: Option<Uuid>,
    /// Why.
    pub reason: String,
    /// When, in milliseconds since the Unix epoch.
    pub decided_at_ms: i64,
}

impl CaseRow {
    /// How it stands.
    #[must_use]
    pub fn decision(&self) -> CaseDecision {
        CaseDecision::try_from(i32::from(self.decision)).unwrap_or(CaseDecision::Unspecified)
    }

    /// As it is sent.
    #[must_use]
    pub fn to_wire(&self) -> FairplayCase {
        FairplayCase {
            case_id: self.case_id.to_string(),
            player_id: self.player_id.to_string(),
            time_class: self.time_class.clone(),
            opened_at_ms: self.opened_at_ms,
            decision: self.decision().into(),
            decided_by: self.decided_by.map(|id| id.to_string()).unwrap_or_default(),
            reason: self.reason.clone(),
            decided_at_ms: self.decided_at_ms,
        }
    }
}

const COLUMNS: &str =
    "case_id, player_id, time_class, opened_at_ms, decision, decided_by, reason, decided_at_ms";

/// Writes a case, new or decided.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, case: &CaseRow) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/put_case.sql"))
        .bind(case.case_id)
        .bind(case.player_id)
        .bind(&case.time_class)
        .bind(case.opened_at_ms)
        .bind(case.decision)
        .bind(case.decided_by)
        .bind(&case.reason)
        .bind(case.decided_at_ms)
        .execute(conn)
        .await?;
    Ok(())
}

/// A case.
///
/// # Errors
/// When Postgres does not answer.
pub async fn find(conn: &mut PgConnection, case_id: Uuid) -> Result<Option<CaseRow>, sqlx::Error> {
    let query = format!("select {COLUMNS} from cases where case_id = $1");
    sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(case_id).fetch_optional(conn).await
}

/// Whether a player has another case that keeps him barred.
///
/// # Errors
/// When Postgres does not answer.
pub async fn is_barred_by_another(conn: &mut PgConnection, case: &CaseRow) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select exists (select from cases where player_id = $1 and case_id <> $2 and decision <> 1)",
    )
    .bind(case.player_id)
    .bind(case.case_id)
    .fetch_one(conn)
    .await
}

/// A page of cases.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Decided ones too.
    pub scope: Scope,
    /// Behind this one; see [`CaseRow::opened_at_ms`].
    pub after: (i64, Uuid),
    /// At most so many.
    pub size: i64,
}

/// Which cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only those nobody has decided.
    Open,
    /// All.
    All,
}

/// Cases, the oldest first.
///
/// # Errors
/// When Postgres does not answer.
pub async fn list(executor: impl PgExecutor<'_>, page: Page) -> Result<Vec<CaseRow>, sqlx::Error> {
    let query = format!(
        "select {COLUMNS} from cases where ($1 or decision = 0) and (opened_at_ms, case_id) > ($2, $3)
         order by opened_at_ms, case_id limit $4"
    );
    sqlx::query_as(sqlx::AssertSqlSafe(query))
        .bind(page.scope == Scope::All)
        .bind(page.after.0)
        .bind(page.after.1)
        .bind(page.size)
        .fetch_all(executor)
        .await
}

/// Reports that a player made since the beginning of the UTC day.
///
/// # Errors
/// When Postgres does not answer.
pub async fn reports_today(conn: &mut PgConnection, reported_by: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "select count(*) from player_reports where reported_by = $1
         and reported_at >= date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC'",
    )
    .bind(reported_by)
    .fetch_one(conn)
    .await
}

/// Notes a report; false when the player has reported this game before.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put_report(
    conn: &mut PgConnection,
    reported_by: Uuid,
    game_id: Uuid,
    player_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query(
        "insert into player_reports (reported_by, game_id, player_id) values ($1, $2, $3) on conflict do nothing",
    )
    .bind(reported_by)
    .bind(game_id)
    .bind(player_id)
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}
