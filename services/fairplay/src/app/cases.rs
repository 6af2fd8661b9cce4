//! What a person decides about a player, and what players tell about each other.

use domain_fairplay::Level;
use domain_fairplay::calibration::Calibration;
use event_store::Metadata;
use proto::fairplay::v1 as wire;
use proto::types::v1::Money;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::explanation::{self, Sums};
use super::standing::{StandingError, Subject, release_hold, totals, unix_ms};
use crate::store::cases::{self, CaseRow};
use crate::store::evidence::{self, Stakes, Window};
use crate::store::player_log::{self, PlayerEvent};
use crate::store::players::{self, Standing};
use crate::store::staked_games::{self, LostStake};
use domain_fairplay::levels::Depth;

/// Reports that one player may make on a UTC day.
pub const REPORTS_PER_DAY_MAX: i64 = 5;

/// A decision.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The case.
    pub case_id: Uuid,
    /// Who decides.
    pub decided_by: Uuid,
    /// What.
    pub decision: wire::CaseDecision,
    /// Why.
    pub reason: String,
}

/// Decides a case; nothing when there is none. The same decision again changes nothing.
///
/// # Errors
/// See [`StandingError`].
pub async fn decide(
    pool: &PgPool,
    calibration: &Calibration,
    decision: Decision,
) -> Result<Option<CaseRow>, StandingError> {
    let mut tx = pool.begin().await?;
    let Some(case) = cases::find(&mut tx, decision.case_id).await? else { return Ok(None) };
    let player_id = case.player_id;
    let mut row = players::lock(&mut tx, player_id).await?;
    // Read again behind the lock: another person may have been faster.
    let Some(mut case) = cases::find(&mut tx, decision.case_id).await? else { return Ok(None) };
    let before = case.decision();
    if before == decision.decision {
        return Ok(Some(case));
    }
    let now = OffsetDateTime::now_utc();
    let subject = Subject { player_id, time_class: &case.time_class };
    let window = Window {
        player_id,
        time_class: subject.time_class,
        from_ms: 0,
        games_max: calibration.limits.games_max,
        stakes: Stakes::Staked,
    };
    let games = evidence::latest(&mut tx, window).await?;
    let game_ids: Vec<Uuid> = games.iter().map(|game| game.game_id).collect();
    let lost = staked_games::lost_to(&mut tx, player_id, &game_ids).await?;
    let mut events = vec![PlayerEvent::CaseDecided(wire::CaseDecided {
        case_id: case.case_id.to_string(),
        player_id: player_id.to_string(),
        decided_by: decision.decided_by.to_string(),
        decision: decision.decision.into(),
        before: before.into(),
        reason: decision.reason.clone(),
        decided_at_ms: unix_ms(now),
        game_ids: game_ids.iter().map(Uuid::to_string).collect(),
        lost_stakes: lost.into_iter().map(lost_stake).collect(),
    })];
    let bar = (player_id.to_string(), case.case_id.to_string());
    match decision.decision {
        wire::CaseDecision::Cleared => {
            events.extend(start_afresh(&mut tx, calibration, subject, now).await?);
            events.extend(release_hold(&mut row, player_id, wire::PrizeHoldEnd::Decided, now));
            if row.is_barred && !cases::is_barred_by_another(&mut tx, &case).await? {
                row.is_barred = false;
                let (player_id, case_id) = bar;
                events.push(PlayerEvent::PlayerUnbarred(wire::PlayerUnbarred { player_id, case_id }));
            }
        }
        _ if !row.is_barred => {
            row.is_barred = true;
            let (player_id, case_id) = bar;
            events.push(PlayerEvent::PlayerBarred(wire::PlayerBarred { player_id, case_id }));
        }
        _ => {}
    }
    case.decision = i16::try_from(i32::from(decision.decision)).expect("a small number");
    case.decided_by = Some(decision.decided_by);
    case.reason = decision.reason;
    case.decided_at_ms = unix_ms(now);
    cases::put(&mut tx, &case).await?;
    players::put(&mut tx, player_id, &row).await?;
    let metadata = Metadata::for_request(decision.decided_by.to_string(), Uuid::now_v7());
    player_log::append(&mut tx, player_id, &events, metadata).await?;
    tx.commit().await?;
    Ok(Some(case))
}

fn lost_stake(lost: LostStake) -> wire::LostStake {
    wire::LostStake {
        player_id: lost.player_id.to_string(),
        game_id: lost.game_id.to_string(),
        match_id: lost.match_id.map(|id| id.to_string()).unwrap_or_default(),
        stake: Some(Money { minor_units: lost.stake.minor_units, currency: lost.stake.currency }),
    }
}

/// The games so far do not count any more; what they amount to is nothing.
async fn start_afresh(
    conn: &mut sqlx::PgConnection,
    calibration: &Calibration,
    subject: Subject<'_>,
    now: OffsetDateTime,
) -> Result<Option<PlayerEvent>, sqlx::Error> {
    let before = players::standing(conn, subject.player_id, subject.time_class).await?;
    let totals = totals(calibration, &[]);
    let measured = totals.measured(calibration, None, Depth::Standard);
    let level = Level::NotEnoughData;
    let assessment = explanation::explain(
        calibration,
        subject,
        level,
        &measured,
        Sums { totals: &totals, history: &totals },
        &[],
    );
    let after = Standing { level, counts_from_ms: unix_ms(now) };
    players::put_standing(conn, subject.player_id, after, &assessment).await?;
    Ok((before.level != level).then(|| {
        PlayerEvent::LevelChanged(Box::new(wire::LevelChanged {
            player_id: subject.player_id.to_string(),
            time_class: subject.time_class.to_owned(),
            before: explanation::level(before.level).into(),
            after: explanation::level(level).into(),
            assessment: Some(assessment),
        }))
    }))
}

/// A report about an opponent.
#[derive(Debug, Clone)]
pub struct OpponentReport {
    /// Who reports.
    pub reported_by: Uuid,
    /// The game.
    pub game_id: Uuid,
    /// The opponent.
    pub player_id: Uuid,
    /// What was seen.
    pub reason: String,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    /// It was noted, now or before.
    Noted,
    /// The player has made as many as one may today.
    TooMany,
}

/// Notes a report. The reporter's own row is locked first, so that his reports are counted one after the other, and the
/// reported player's second; both in the order of their ids, so that two who report each other do not wait in a circle.
///
/// # Errors
/// See [`StandingError`].
pub async fn report(pool: &PgPool, report: OpponentReport) -> Result<Reported, StandingError> {
    let OpponentReport { reported_by, game_id, player_id, reason } = report;
    let mut tx = pool.begin().await?;
    for id in [reported_by.min(player_id), reported_by.max(player_id)] {
        players::lock(&mut tx, id).await?;
    }
    let is_over = cases::reports_today(&mut tx, reported_by).await? >= REPORTS_PER_DAY_MAX;
    if !cases::put_report(&mut tx, reported_by, game_id, player_id).await? {
        return Ok(Reported::Noted);
    }
    if is_over {
        return Ok(Reported::TooMany);
    }
    let event = PlayerEvent::PlayerReported(wire::PlayerReported {
        player_id: player_id.to_string(),
        reported_by: reported_by.to_string(),
        game_id: game_id.to_string(),
        reason,
    });
    let metadata = Metadata::for_request(reported_by.to_string(), Uuid::now_v7());
    player_log::append(&mut tx, player_id, &[event], metadata).await?;
    tx.commit().await?;
    Ok(Reported::Noted)
}
