//! Proposes a match to two paired tickets.

use event_store::{AppendError, Metadata};
use proto::matchmaking::v1::MatchProposed;
use proto::types::v1::{Money, Player};
use sqlx::{Acquire as _, PgPool};
use uuid::Uuid;

use crate::app::advance::STEP_TIMEOUT_MS;
use crate::app::cities::City;
use crate::app::match_process::{Phase, Step};
use crate::store::match_log::{self, MatchLog};
use crate::store::matches::{self, Inserted, MatchRow, Seat};

/// The rule set of staked games.
const STAKED_RULE_SET: &str = "city";

/// A match to propose.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The match; its phase is [`Phase::Proposed`].
    pub row: MatchRow,
    /// Now, in milliseconds since the Unix epoch.
    pub proposed_at_ms: i64,
}

/// Why a match was not proposed.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// One of the players sits in another match, proposed by another instance.
    #[error("a player sits in another match")]
    PlayerBusy,
    /// The log refused.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Postgres did not answer; whether the match was proposed is not known.
    #[error("the match store is unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// Appends `MatchProposed` and seats both players, or changes nothing. The span is the root of the match's trace.
#[tracing::instrument(skip_all, fields(match_id = %proposal.row.match_id))]
pub async fn propose(pool: &PgPool, city: &City, proposal: &Proposal) -> Result<(), ProposeError> {
    let row = &proposal.row;
    let log = MatchLog { match_id: row.match_id, phase: Phase::Absent, version: 0, proposal: None };
    let metadata = Metadata {
        correlation_id: row.match_id,
        causation_id: row.white.request_id,
        actor: "matchmaking".to_owned(),
        trace_parent: event_store::trace::current_trace_parent(),
    };
    let event = event_of(city, proposal);
    let mut conn = pool.acquire().await?;
    let mut transaction = conn.begin().await?;
    if matches::insert(&mut transaction, row, STEP_TIMEOUT_MS).await? == Inserted::PlayerBusy {
        transaction.rollback().await?;
        return Err(ProposeError::PlayerBusy);
    }
    match_log::append(&mut transaction, &log, &event, Step::Propose, metadata).await?;
    transaction.commit().await?;
    Ok(())
}

fn event_of(city: &City, proposal: &Proposal) -> MatchProposed {
    let row = &proposal.row;
    MatchProposed {
        match_id: row.match_id.to_string(),
        game_id: row.game_id.to_string(),
        city_id: row.city_id.clone(),
        white: Some(player(&row.white)),
        black: Some(player(&row.black)),
        time_control: Some(proto::types::v1::TimeControl {
            base_ms: row.time_control.base_ms,
            increment_ms: row.time_control.increment_ms,
        }),
        stake: Some(Money { minor_units: city.stake_minor_units, currency: city.currency.to_owned() }),
        fee_basis_points: city.fee_basis_points,
        rule_set: STAKED_RULE_SET.to_owned(),
        proposed_at_ms: proposal.proposed_at_ms,
        time_scale: city.time_scale,
        white_queued_at_ms: row.white.queued_at_ms,
        black_queued_at_ms: row.black.queued_at_ms,
    }
}

fn player(seat: &Seat) -> Player {
    Player { player_id: seat.player_id.to_string(), name: seat.name.clone() }
}

/// A fresh match and game id, both ordered by time.
#[must_use]
pub fn new_ids() -> (Uuid, Uuid) {
    (Uuid::now_v7(), Uuid::now_v7())
}
