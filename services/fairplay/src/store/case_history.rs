//! What the log of a player says about a case: every decision, and what other players reported.

use std::collections::VecDeque;

use event_store::RecordedEvent;
use proto::fairplay::v1::{CaseDecided, PastDecision, PlayerReport, PlayerReported};
use sqlx::PgConnection;
use uuid::Uuid;

use super::cases::CaseRow;
use crate::app::standing::unix_ms;

/// Decisions and reports that are shown.
const SHOWN_MAX: usize = 50;

/// What happened around a case.
#[derive(Debug, Default)]
pub struct CaseHistory {
    /// The oldest first.
    pub decisions: Vec<PastDecision>,
    /// The latest first.
    pub reports: Vec<PlayerReport>,
}

/// Reads the player's log, which is short: it has levels, holds and cases, and no games.
///
/// # Errors
/// When Postgres does not answer, or an event cannot be read.
pub async fn read(conn: &mut PgConnection, case: &CaseRow) -> Result<CaseHistory, sqlx::Error> {
    let case_id = case.case_id.to_string();
    let mut decisions: VecDeque<PastDecision> = VecDeque::new();
    let mut reports: VecDeque<PlayerReport> = VecDeque::new();
    for event in of_player(conn, case.player_id).await? {
        match event.kind.as_str() {
            "CaseDecided" => {
                let decided: CaseDecided = decode(&event)?;
                if decided.case_id == case_id {
                    decisions.push_back(decision(decided));
                }
            }
            "PlayerReported" => reports.push_front(report(decode(&event)?, &event)),
            _ => {}
        }
        if decisions.len() > SHOWN_MAX {
            decisions.pop_front();
        }
        reports.truncate(SHOWN_MAX);
    }
    Ok(CaseHistory { decisions: decisions.into(), reports: reports.into() })
}

async fn of_player(conn: &mut PgConnection, player_id: Uuid) -> Result<Vec<RecordedEvent>, sqlx::Error> {
    event_store::load_all(conn, player_id).await
}

fn decision(event: CaseDecided) -> PastDecision {
    PastDecision {
        decision: event.decision,
        decided_by: event.decided_by,
        reason: event.reason,
        decided_at_ms: event.decided_at_ms,
        game_ids: event.game_ids,
    }
}

fn report(reported: PlayerReported, event: &RecordedEvent) -> PlayerReport {
    PlayerReport {
        game_id: reported.game_id,
        reported_by: reported.reported_by,
        reason: reported.reason,
        reported_at_ms: unix_ms(event.recorded_at),
    }
}

fn decode<M: prost::Message + Default>(event: &RecordedEvent) -> Result<M, sqlx::Error> {
    M::decode(event.data.as_slice()).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
