//! A match's own log: folding it, and appending to it.

use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version};
use prost::Message as _;
use proto::matchmaking::v1::{
    MatchCancelled, MatchClosed, MatchConfirmed, MatchProposed, MatchStarted, StakesRequested,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::match_process::{Phase, Step};
use crate::telemetry;

/// The stream kind of a match, and a part of its subjects.
pub const MATCH_STREAM: &str = "match";

/// The longest a match's log can be: each phase adds one event, and there are six.
const EVENTS_A_MATCH_MAX: usize = 16;

/// A match as its log has it.
#[derive(Debug, Clone)]
pub struct MatchLog {
    /// Its id.
    pub match_id: Uuid,
    /// How far it is.
    pub phase: Phase,
    /// Version of its last event.
    pub version: Version,
    /// What was proposed; absent when the log is empty.
    pub proposal: Option<MatchProposed>,
}

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Postgres did not answer.
    #[error("the match log is unavailable")]
    Unavailable(#[from] sqlx::Error),
    /// An event that this version does not know or cannot decode.
    #[error("event {version} of match {match_id} is not readable: {cause}")]
    Unreadable {
        /// The match.
        match_id: Uuid,
        /// Which event.
        version: Version,
        /// What is wrong.
        cause: String,
    },
}

/// Reads a match's log.
pub async fn read(conn: &mut PgConnection, match_id: Uuid) -> Result<MatchLog, ReadError> {
    let mut log = MatchLog { match_id, phase: Phase::Absent, version: 0, proposal: None };
    for event in event_store::load(&mut *conn, match_id, 0, EVENTS_A_MATCH_MAX).await? {
        let unreadable = |cause: String| ReadError::Unreadable { match_id, version: event.version, cause };
        log.phase = match event.kind.as_str() {
            "MatchProposed" => {
                let proposal = MatchProposed::decode(event.data.as_slice())
                    .map_err(|error| unreadable(error.to_string()))?;
                log.proposal = Some(proposal);
                Phase::Proposed
            }
            "StakesRequested" => Phase::StakesRequested,
            "MatchConfirmed" => Phase::Confirmed,
            "MatchCancelled" => Phase::Cancelled,
            "MatchStarted" => Phase::Started,
            "MatchClosed" => Phase::Closed,
            other => return Err(unreadable(format!("unknown type {other}"))),
        };
        log.version = event.version;
    }
    Ok(log)
}

/// Appends a step; fails with a conflict when somebody else took one first.
pub async fn append(
    conn: &mut PgConnection,
    log: &MatchLog,
    proposal: &MatchProposed,
    step: Step,
    metadata: Metadata,
) -> Result<Version, AppendError> {
    let (kind, data) = (step.event_name(), encode(proposal, step));
    metrics::counter!(telemetry::STEPS, "step" => kind, "reason" => step.reason_name()).increment(1);
    let append = Append {
        stream: StreamId { kind: MATCH_STREAM, id: log.match_id },
        expected: log.version,
        events: vec![NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind,
            schema: 1,
            data,
            publication: Publication::Public { follows: log.version },
        }],
        metadata,
    };
    event_store::append_in(conn, &append).await
}

fn encode(proposal: &MatchProposed, step: Step) -> Vec<u8> {
    let proposal = proposal.clone();
    let white_player_id = player_id(proposal.white.as_ref());
    let black_player_id = player_id(proposal.black.as_ref());
    let match_id = proposal.match_id.clone();
    let game_id = proposal.game_id.clone();
    match step {
        Step::Propose => proposal.encode_to_vec(),
        Step::RequestStakes => StakesRequested {
            match_id,
            white_player_id,
            black_player_id,
            stake: proposal.stake,
            fee_basis_points: proposal.fee_basis_points,
            game_id,
        }
        .encode_to_vec(),
        Step::Confirm => MatchConfirmed { proposal: Some(proposal) }.encode_to_vec(),
        Step::Cancel { reason, player } => MatchCancelled {
            match_id,
            reason: reason.into(),
            player_id: player.map(|id| id.to_string()).unwrap_or_default(),
            white_player_id,
            black_player_id,
        }
        .encode_to_vec(),
        Step::Start => MatchStarted { match_id, game_id }.encode_to_vec(),
        Step::Close => MatchClosed { match_id, game_id }.encode_to_vec(),
    }
}

fn player_id(player: Option<&proto::types::v1::Player>) -> String {
    player.map(|player| player.player_id.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
