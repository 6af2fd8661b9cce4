//! What players lost to somebody against whom a case was decided, and how it stands with that.

use domain_ledger::{Amount, Claim, Currency, MatchId, PlayerId};
use proto::wallet::v1::VictimRefundState;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::posting::Ruling;
use crate::app::{GameId, player_uuid};

const NOTE: &str = include_str!("queries/note_victim_refunds.sql");
const WITHDRAW: &str = include_str!("queries/withdraw_victim_refunds.sql");
const OF_CASE: &str = include_str!("queries/owed_of_case.sql");
const DUE: &str = include_str!("queries/owed_due.sql");
const SET: &str = include_str!("queries/set_victim_refund.sql");
const PAGE: &str = include_str!("queries/victim_refunds_page.sql");
const COUNT_OWED: &str = "select count(*) from victim_refunds where state = 1";

/// The most that is paid in one go.
pub const REFUNDS_MAX: i64 = 100;

/// How long something owed is left alone when its match was not settled, in seconds.
const RETRY_SECONDS: f64 = 30.0;

/// What somebody lost, as fair play says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// In which game.
    pub game: GameId,
    /// In which match, if that was noted.
    pub match_id: Option<MatchId>,
    /// Who, to whom, and how much.
    pub claim: Claim,
    /// How it stands from the beginning: owed, not covered, or refused.
    pub state: VictimRefundState,
    /// Why it is not owed, for the operator.
    pub note: String,
}

/// Notes what was lost in the games of a case. The losses are to one player.
pub async fn note(
    conn: &mut PgConnection,
    winner: PlayerId,
    (ruling, decided_at): (&Ruling, OffsetDateTime),
    losses: &[Loss],
) -> Result<(), sqlx::Error> {
    sqlx::query(NOTE)
        .bind(ruling.case)
        .bind(player_uuid(winner))
        .bind(ruling.decided_by)
        .bind(&ruling.reason)
        .bind(decided_at)
        .bind(losses.iter().map(|loss| loss.game.0).collect::<Vec<_>>())
        .bind(losses.iter().map(|loss| loss.match_id.map(crate::app::match_uuid)).collect::<Vec<_>>())
        .bind(losses.iter().map(|loss| player_uuid(loss.claim.victim)).collect::<Vec<_>>())
        .bind(losses.iter().map(|loss| loss.claim.stake.minor()).collect::<Vec<_>>())
        .bind(losses.iter().map(|loss| loss.claim.currency.as_str().to_owned()).collect::<Vec<_>>())
        .bind(losses.iter().map(|loss| loss.state as i32 as i16).collect::<Vec<_>>())
        .bind(losses.iter().map(|loss| loss.note.clone()).collect::<Vec<_>>())
        .execute(conn)
        .await?;
    Ok(())
}

/// Takes back what is owed because of a case and was not paid yet.
pub async fn withdraw(
    conn: &mut PgConnection,
    ruling: &Ruling,
    decided_at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query(WITHDRAW)
        .bind(ruling.case)
        .bind(ruling.decided_by)
        .bind(&ruling.reason)
        .bind(decided_at)
        .execute(conn)
        .await?;
    Ok(())
}

/// Something that is owed to a victim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// Of which game.
    pub game: GameId,
    /// Of which match.
    pub match_id: MatchId,
    /// Who lost what to whom.
    pub claim: Claim,
    /// Because of which decision.
    pub ruling: Ruling,
}

type OwedRow = (Uuid, Uuid, Option<Uuid>, Uuid, Uuid, i64, String, Uuid, String);

/// What is owed because of a case; kept from others until the end of the transaction.
pub async fn owed_of_case(conn: &mut PgConnection, case: Uuid) -> Result<Vec<Owed>, sqlx::Error> {
    let rows: Vec<OwedRow> = sqlx::query_as(OF_CASE).bind(case).fetch_all(conn).await?;
    rows.into_iter().map(owed).collect()
}

/// What is owed and due to be looked at, at most [`REFUNDS_MAX`]; kept from others until the end of the transaction.
pub async fn owed_due(conn: &mut PgConnection) -> Result<Vec<Owed>, sqlx::Error> {
    let rows: Vec<OwedRow> = sqlx::query_as(DUE).bind(REFUNDS_MAX).fetch_all(conn).await?;
    rows.into_iter().map(owed).collect()
}

fn owed(row: OwedRow) -> Result<Owed, sqlx::Error> {
    let (case, game, match_id, victim, winner, stake, currency, decided_by, reason) = row;
    let broken = |what: &str| sqlx::Error::Protocol(format!("what is owed for game {game}: {what}"));
    let match_id = match_id.ok_or_else(|| broken("no match"))?;
    let player = |id: Uuid| PlayerId::new(id.as_u128());
    let claim = Claim {
        victim: player(victim),
        winner: player(winner),
        stake: Amount::new(stake).map_err(|_| broken("no stake"))?,
        currency: Currency::parse(&currency).map_err(|_| broken("no currency"))?,
    };
    let ruling = Ruling { case, decided_by, reason };
    Ok(Owed { game: GameId(game), match_id: MatchId::new(match_id.as_u128()), claim, ruling })
}

/// How it stands with something owed, after it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Owed still, paid, or refused.
    pub state: VictimRefundState,
    /// What it waits for, or why it was refused.
    pub note: String,
    /// The transfer that paid it.
    pub transfer: Option<Uuid>,
    /// When it is looked at again.
    pub again: Again,
}

/// When something owed is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// After a while.
    Later,
    /// When the fund holds as much.
    WithFunds,
}

/// Writes how it stands, and answers whether the note is a new one.
pub async fn set(
    conn: &mut PgConnection,
    case: Uuid,
    game: GameId,
    standing: &Standing,
) -> Result<bool, sqlx::Error> {
    let seconds = match standing.again {
        Again::Later => Some(RETRY_SECONDS),
        Again::WithFunds => None,
    };
    sqlx::query_scalar(SET)
        .bind(case)
        .bind(game.0)
        .bind(standing.state as i32 as i16)
        .bind(&standing.note)
        .bind(standing.transfer)
        .bind(seconds)
        .fetch_one(conn)
        .await
}

/// How many are owed and not paid.
pub async fn count_owed(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(COUNT_OWED).fetch_one(executor).await
}

/// What a victim is owed or was given, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RefundRow {
    /// The case.
    pub case_id: Uuid,
    /// The game.
    pub game_id: Uuid,
    /// Its match.
    pub match_id: Option<Uuid>,
    /// Who lost.
    pub player_id: Uuid,
    /// Who won.
    pub winner_id: Uuid,
    /// In minor units.
    pub stake: i64,
    /// The code.
    pub currency: String,
    /// `stakemate.wallet.v1.VictimRefundState`.
    pub state: i16,
    /// What it waits for, or why it was refused.
    pub note: String,
    /// The moderator.
    pub decided_by: Uuid,
    /// His reason.
    pub reason: String,
    /// When he decided.
    pub decided_at: OffsetDateTime,
    /// What paid it.
    pub transfer_id: Option<Uuid>,
}

/// Those of a state, or all, behind a place, by the time of the decision.
pub async fn page(
    executor: impl PgExecutor<'_>,
    state: VictimRefundState,
    after: (OffsetDateTime, Uuid, Uuid),
    limit: i64,
) -> Result<Vec<RefundRow>, sqlx::Error> {
    sqlx::query_as(PAGE)
        .bind(after.0)
        .bind(after.1)
        .bind(after.2)
        .bind(state as i32 as i16)
        .bind(limit)
        .fetch_all(executor)
        .await
}
