//! What each game, and each correction, did to each of its players.

use domain_glicko::Pool;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::app::book::Change;
use crate::app::correction::{Corrected, CorrectionKind, MadeCorrection};
use crate::app::ended_game::{GameId, PlayerId};
use crate::app::rate_game::{RatedGame, Standing};

const INSERT: &str = include_str!("queries/insert_history.sql");
const PAGE: &str = include_str!("queries/history_page.sql");
const SERIES: &str = include_str!("queries/history_series.sql");

/// The kind of a game's rows.
pub const GAME: &str = "game";
/// The kind of a voided game's further rows.
pub const VOIDED: &str = "voided";
/// The kind of the row of points given or taken.
pub const ADJUSTED: &str = "adjusted";

/// A row of the table.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct HistoryRow {
    /// Whose.
    pub player_id: Uuid,
    /// In which pool.
    pub pool: String,
    /// The change's number there.
    pub pool_sequence: i64,
    /// The game.
    pub game_id: Uuid,
    /// Against whom it was played.
    pub opponent_id: Uuid,
    /// The player's points in it; nothing for a correction.
    pub score: Option<f64>,
    /// As stored at the change before.
    pub rating_before: f64,
    /// As stored at the change before.
    pub deviation_before: f64,
    /// As stored at the change before.
    pub volatility_before: f64,
    /// Rated games before this one.
    pub games_before: i32,
    /// Afterwards.
    pub rating_after: f64,
    /// Afterwards.
    pub deviation_after: f64,
    /// Afterwards.
    pub volatility_after: f64,
    /// When the game ended, or the correction was made, since the Unix epoch.
    pub ended_at_ms: i64,
    /// [`GAME`], [`VOIDED`] or [`ADJUSTED`].
    pub kind: String,
    /// When the player's last game before this change ended.
    pub last_game_before_ms: Option<i64>,
}

/// The two rows of a game, or a row for each player of a correction.
#[must_use]
pub fn rows(change: &Change) -> Vec<HistoryRow> {
    match change {
        Change::Game(rated) => games(rated).to_vec(),
        Change::Correction(made) => made.players.iter().map(|one| correction(made, one)).collect(),
    }
}

fn games(rated: &RatedGame) -> [HistoryRow; 2] {
    let (players, changes) = (rated.game.players(), &rated.changes);
    let score = rated.game.white_score();
    let sides = [
        (players.white, players.black, score, &changes.white),
        (players.black, players.white, score.reversed(), &changes.black),
    ];
    sides.map(|(player, opponent, score, change)| {
        let frame = Frame {
            player,
            opponent,
            pool: rated.game.pool(),
            sequence: rated.sequence,
            game_id: rated.game.game_id(),
            score: Some(score.points()),
            at_ms: rated.game.ended_at_ms(),
            kind: GAME,
        };
        frame.row(&change.before, &change.after)
    })
}

fn correction(made: &MadeCorrection, corrected: &Corrected) -> HistoryRow {
    let correction = &made.correction;
    let frame = Frame {
        player: corrected.adjustment.player,
        opponent: corrected.adjustment.opponent,
        pool: correction.pool,
        sequence: made.sequence,
        game_id: correction.game_id,
        score: None,
        at_ms: correction.ruling.at_ms,
        kind: match correction.kind {
            CorrectionKind::Voided => VOIDED,
            CorrectionKind::Adjusted => ADJUSTED,
        },
    };
    frame.row(&corrected.before, &corrected.after)
}

/// What a row says besides where its player stood.
struct Frame {
    player: PlayerId,
    opponent: PlayerId,
    pool: Pool,
    sequence: u64,
    game_id: GameId,
    score: Option<f64>,
    at_ms: i64,
    kind: &'static str,
}

impl Frame {
    fn row(self, before: &Standing, after: &Standing) -> HistoryRow {
        let (raw_before, raw_after) = (before.rating.raw(), after.rating.raw());
        HistoryRow {
            player_id: self.player.0,
            pool: self.pool.id.to_owned(),
            pool_sequence: i64::try_from(self.sequence).unwrap_or(i64::MAX),
            game_id: self.game_id.0,
            opponent_id: self.opponent.0,
            score: self.score,
            rating_before: raw_before.rating,
            deviation_before: raw_before.deviation,
            volatility_before: raw_before.volatility,
            games_before: i32::try_from(before.games).unwrap_or(i32::MAX),
            rating_after: raw_after.rating,
            deviation_after: raw_after.deviation,
            volatility_after: raw_after.volatility,
            ended_at_ms: self.at_ms,
            kind: self.kind.to_owned(),
            last_game_before_ms: before.last_game_at_ms,
        }
    }
}

/// Writes rows, each column as an array. A game that a player has already is an error of the database.
pub async fn insert(conn: &mut PgConnection, rows: &[HistoryRow]) -> Result<(), sqlx::Error> {
    fn column<T>(rows: &[HistoryRow], of: impl Fn(&HistoryRow) -> T) -> Vec<T> {
        rows.iter().map(of).collect()
    }
    sqlx::query(INSERT)
        .bind(column(rows, |row| row.player_id))
        .bind(column(rows, |row| row.pool.clone()))
        .bind(column(rows, |row| row.pool_sequence))
        .bind(column(rows, |row| row.game_id))
        .bind(column(rows, |row| row.opponent_id))
        .bind(column(rows, |row| row.score))
        .bind(column(rows, |row| row.rating_before))
        .bind(column(rows, |row| row.deviation_before))
        .bind(column(rows, |row| row.volatility_before))
        .bind(column(rows, |row| row.games_before))
        .bind(column(rows, |row| row.rating_after))
        .bind(column(rows, |row| row.deviation_after))
        .bind(column(rows, |row| row.volatility_after))
        .bind(column(rows, |row| row.ended_at_ms))
        .bind(column(rows, |row| row.kind.clone()))
        .bind(column(rows, |row| row.last_game_before_ms))
        .execute(conn)
        .await?;
    Ok(())
}

/// Which rows a page has.
#[derive(Debug, Clone, Copy)]
pub struct PageOf<'a> {
    /// Whose.
    pub player_id: Uuid,
    /// In which pool.
    pub pool: &'a str,
    /// From before this number.
    pub before: i64,
    /// In which time.
    pub range: TimeRange,
    /// At most so many.
    pub limit: i64,
}

/// From one time to before another, since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    /// The first time in it.
    pub from_ms: i64,
    /// The first time behind it.
    pub to_ms: i64,
}

impl TimeRange {
    /// All of it.
    pub const ALWAYS: Self = Self { from_ms: i64::MIN, to_ms: i64::MAX };
}

/// A page of a player's history, newest first.
pub async fn page(executor: impl PgExecutor<'_>, of: PageOf<'_>) -> Result<Vec<HistoryRow>, sqlx::Error> {
    sqlx::query_as(PAGE)
        .bind(of.player_id)
        .bind(of.pool)
        .bind(of.before)
        .bind(of.range.from_ms)
        .bind(of.range.to_ms)
        .bind(of.limit)
        .fetch_all(executor)
        .await
}

/// A point of a graph.
#[derive(Debug, Clone, Copy, PartialEq, sqlx::FromRow)]
pub struct SeriesPoint {
    /// When.
    pub ended_at_ms: i64,
    /// The rating afterwards.
    pub rating_after: f64,
    /// Its deviation.
    pub deviation_after: f64,
}

/// A player's rating over time, oldest first, in at most `points_max` points.
pub async fn series(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
    pool: &str,
    range: TimeRange,
    points_max: i64,
) -> Result<Vec<SeriesPoint>, sqlx::Error> {
    sqlx::query_as(SERIES)
        .bind(player_id)
        .bind(pool)
        .bind(range.from_ms)
        .bind(range.to_ms)
        .bind(points_max)
        .fetch_all(executor)
        .await
}
