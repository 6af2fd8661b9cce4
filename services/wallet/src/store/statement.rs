//! The statements of players.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::statement::{Line, LineKind};
use crate::app::{match_uuid, player_uuid};

const INSERT: &str = include_str!("queries/insert_statement_lines.sql");
const PAGE: &str = include_str!("queries/statement_page.sql");
const EXPORT_PAGE: &str = include_str!("queries/statement_export_page.sql");
const OF_TRANSFERS: &str = include_str!("queries/lines_of_transfers.sql");
const COUNT: &str = "select count(*) from statement_lines";
const LAST_LINE: &str = "select max(line) from statement_lines where player_id = $1";

/// The number stored for a kind of line: that of `stakemate.wallet.v1.TransferKind`.
pub(super) fn kind_code(kind: LineKind) -> i16 {
    match kind {
        LineKind::Deposit => 1,
        LineKind::Hold => 2,
        LineKind::Payout => 3,
        LineKind::Refund => 4,
        LineKind::Withdrawal => 6,
        LineKind::Adjustment => 7,
        LineKind::Reversal => 8,
        LineKind::PrizeWithheld => 9,
        LineKind::PrizeReleased => 10,
        LineKind::Restitution => 11,
    }
}

/// Writes the lines of postings. The numbers of the lines rise in the order that is given.
pub async fn insert(conn: &mut PgConnection, lines: &[Line]) -> Result<(), sqlx::Error> {
    let column = |of: fn(&Line) -> i64| lines.iter().map(of).collect::<Vec<i64>>();
    sqlx::query(INSERT)
        .bind(lines.iter().map(|line| player_uuid(line.player)).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| Uuid::from_u128(line.transfer.value())).collect::<Vec<_>>())
        .bind(column(|line| line.available_change_minor))
        .bind(column(|line| line.held_change_minor))
        .bind(column(|line| line.available_after_minor))
        .bind(lines.iter().map(|line| line.match_id.map(match_uuid)).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.game.map(|game| game.0)).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.fee_minor).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| kind_code(line.kind)).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.currency.as_str().to_owned()).collect::<Vec<_>>())
        .execute(conn)
        .await?;
    Ok(())
}

/// A line as it was decided, to compare with the log: without its number and time.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredLine {
    /// Whose.
    pub player_id: Uuid,
    /// The transfer.
    pub transfer_id: Uuid,
    /// In minor units.
    pub available_change: i64,
    /// In minor units.
    pub held_change: i64,
    /// In minor units.
    pub available_after: i64,
    /// The match, if any.
    pub match_id: Option<Uuid>,
    /// The game, if any.
    pub game_id: Option<Uuid>,
    /// In minor units; on the winner's line.
    pub fee: Option<i64>,
    /// `stakemate.wallet.v1.TransferKind`.
    pub kind: i16,
    /// The code.
    pub currency: String,
}

impl StoredLine {
    /// The line that a decision leads to.
    #[must_use]
    pub fn of(line: &Line) -> Self {
        Self {
            player_id: player_uuid(line.player),
            transfer_id: Uuid::from_u128(line.transfer.value()),
            available_change: line.available_change_minor,
            held_change: line.held_change_minor,
            available_after: line.available_after_minor,
            match_id: line.match_id.map(match_uuid),
            game_id: line.game.map(|game| game.0),
            fee: line.fee_minor,
            kind: kind_code(line.kind),
            currency: line.currency.as_str().to_owned(),
        }
    }
}

/// The stored lines of some transfers.
pub async fn of_transfers(
    executor: impl PgExecutor<'_>,
    transfer_ids: &[Uuid],
) -> Result<Vec<StoredLine>, sqlx::Error> {
    sqlx::query_as(OF_TRANSFERS).bind(transfer_ids).fetch_all(executor).await
}

/// How many lines there are in all.
pub async fn count(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(COUNT).fetch_one(executor).await
}

/// A line as it is read.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct LineRow {
    /// Its place, which only rises.
    pub line: i64,
    /// The transfer.
    pub transfer_id: Uuid,
    /// When it was booked.
    pub recorded_at: OffsetDateTime,
    /// In minor units.
    pub available_change: i64,
    /// In minor units.
    pub held_change: i64,
    /// In minor units.
    pub available_after: i64,
    /// The match, if any.
    pub match_id: Option<Uuid>,
    /// The game, if any.
    pub game_id: Option<Uuid>,
    /// In minor units; on the winner's line.
    pub fee: Option<i64>,
    /// `stakemate.wallet.v1.TransferKind`.
    pub kind: i16,
    /// The code.
    pub currency: String,
}

/// Chooses lines of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Not before this time.
    pub since: Option<OffsetDateTime>,
    /// Before this time.
    pub until: Option<OffsetDateTime>,
    /// Of these kinds (`stakemate.wallet.v1.TransferKind`); of all if empty.
    pub kinds: Vec<i16>,
}

/// At most `limit` lines of a player, newest first, from before the line `before`.
pub async fn page(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
    filter: &Filter,
    before: i64,
    limit: i64,
) -> Result<Vec<LineRow>, sqlx::Error> {
    sqlx::query_as(PAGE)
        .bind(player_id)
        .bind(before)
        .bind(limit)
        .bind(filter.since)
        .bind(filter.until)
        .bind(&filter.kinds)
        .fetch_all(executor)
        .await
}

/// At most `limit` lines of a player, oldest first, from behind the line `after` to the line `last`.
pub async fn export_page(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
    filter: &Filter,
    after: i64,
    last: i64,
    limit: i64,
) -> Result<Vec<LineRow>, sqlx::Error> {
    sqlx::query_as(EXPORT_PAGE)
        .bind(player_id)
        .bind(after)
        .bind(last)
        .bind(limit)
        .bind(filter.since)
        .bind(filter.until)
        .bind(&filter.kinds)
        .fetch_all(executor)
        .await
}

/// The number of a player's last line, 0 if there is none: it rises with every change of his money.
pub async fn last_line(executor: impl PgExecutor<'_>, player_id: Uuid) -> Result<i64, sqlx::Error> {
    let last: Option<i64> = sqlx::query_scalar(LAST_LINE).bind(player_id).fetch_one(executor).await?;
    Ok(last.unwrap_or(0))
}
