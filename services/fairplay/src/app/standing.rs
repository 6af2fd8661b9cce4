//! A player's standing in a time class: what his games amount to, and what follows from it.
//!
//! Every step runs in the caller's transaction and holds the player's row, so that the steps of one player come one after the
//! other. What is computed depends on the games alone; only what follows from a change of level is written down as events.

use domain_fairplay::Level;
use domain_fairplay::assessment::Totals;
use domain_fairplay::calibration::Calibration;
use domain_fairplay::evidence::Evidence;
use domain_fairplay::levels::{Depth, next_level};
use event_store::{AppendError, Metadata};
use proto::fairplay::v1 as wire;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::explanation::{self, Sums};
use super::settings::SECOND_PASS_GAMES_MAX;
use crate::metrics::LEVELS;
use crate::store::cases::{self, CaseRow};
use crate::store::evidence::{self, ScoredGame, Stakes, Window};
use crate::store::jobs;
use crate::store::player_log::{self, PlayerEvent};
use crate::store::players::{self, PlayerRow, Standing};

/// How long later prizes are held at most.
pub const PRIZE_HOLD: Duration = Duration::hours(72);

/// Why a standing was not updated.
#[derive(Debug, thiserror::Error)]
pub enum StandingError {
    /// The events were not written.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Postgres did not do it.
    #[error("the standings are unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// Whose standing.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The player.
    pub player_id: Uuid,
    /// bullet, blitz, rapid or classical.
    pub time_class: &'a str,
}

/// Computes a player's standing again, and draws the consequences of a change.
///
/// # Errors
/// See [`StandingError`].
pub async fn update(
    conn: &mut PgConnection,
    calibration: &Calibration,
    subject: Subject<'_>,
    metadata: Metadata,
) -> Result<Level, StandingError> {
    let Subject { player_id, time_class } = subject;
    let row = players::lock(conn, player_id).await?;
    let before = players::standing(conn, player_id, time_class).await?;
    let window = Window {
        player_id,
        time_class,
        from_ms: before.counts_from_ms,
        games_max: calibration.limits.games_max,
        stakes: Stakes::Staked,
    };
    let games = evidence::latest(conn, window).await?;
    let others = evidence::latest(conn, Window { from_ms: 0, stakes: Stakes::Unstaked, ..window }).await?;
    let (totals, history) = (totals(calibration, &games), self::totals(calibration, &others));
    let measured = totals.measured(calibration, Some(&history), depth(&games));
    let level = next_level(&calibration.limits, before.level, &measured);
    let assessment = explanation::explain(
        calibration,
        subject,
        level,
        &measured,
        Sums { totals: &totals, history: &history },
        &games,
    );
    let after = Standing { level, counts_from_ms: before.counts_from_ms };
    players::put_standing(conn, player_id, after, &assessment).await?;
    let now = OffsetDateTime::now_utc();
    let change = Change { subject, before: before.level, after: level, now };
    let events = follow(conn, &change, row, assessment).await?;
    player_log::append(conn, player_id, &events, metadata).await?;
    if level >= Level::Review {
        jobs::queue_second_pass(conn, player_id, time_class, SECOND_PASS_GAMES_MAX).await?;
    }
    Ok(level)
}

/// The sums over a player's games, the oldest first.
#[must_use]
pub fn totals(calibration: &Calibration, games: &[ScoredGame]) -> Totals {
    let evidence: Vec<Evidence> =
        games.iter().filter_map(|game| game.side.evidence.as_ref()).map(evidence::from_wire).collect();
    Totals::over(calibration, &evidence)
}

/// The second pass counts when it has looked at all of the last games that it looks at.
fn depth(games: &[ScoredGame]) -> Depth {
    let looked_at = usize::try_from(SECOND_PASS_GAMES_MAX).expect("a small number");
    let is_whole = games.iter().rev().take(looked_at).all(|game| game.pass == 2);
    if is_whole { Depth::Second } else { Depth::Standard }
}

struct Change<'a> {
    subject: Subject<'a>,
    before: Level,
    after: Level,
    now: OffsetDateTime,
}

/// What follows from a change of level, in the order it is written.
async fn follow(
    conn: &mut PgConnection,
    change: &Change<'_>,
    mut row: PlayerRow,
    assessment: wire::Assessment,
) -> Result<Vec<PlayerEvent>, sqlx::Error> {
    let Subject { player_id, time_class } = change.subject;
    let mut events = Vec::new();
    if change.before != change.after {
        metrics::counter!(LEVELS, "level" => explanation::word(change.after)).increment(1);
        events.push(PlayerEvent::LevelChanged(Box::new(wire::LevelChanged {
            player_id: player_id.to_string(),
            time_class: time_class.to_owned(),
            before: explanation::level(change.before).into(),
            after: explanation::level(change.after).into(),
            assessment: Some(assessment),
        })));
    }
    if change.before < Level::Hold && change.after >= Level::Hold && row.hold_id.is_none() {
        events.push(place_hold(&mut row, player_id, change.now));
    }
    if players::highest_level(conn, player_id).await? < Level::Hold {
        events.extend(release_hold(&mut row, player_id, wire::PrizeHoldEnd::EvidenceFell, change.now));
    }
    if change.before < Level::Flag && change.after == Level::Flag && !row.is_barred {
        let case = CaseRow {
            case_id: Uuid::now_v7(),
            player_id,
            time_class: time_class.to_owned(),
            opened_at_ms: unix_ms(change.now),
            decision: 0,
            decided_by: None,
            reason: String::new(),
            decided_at_ms: 0,
        };
        cases::put(conn, &case).await?;
        row.is_barred = true;
        let case_id = case.case_id.to_string();
        events.push(PlayerEvent::CaseOpened(wire::CaseOpened {
            case_id: case_id.clone(),
            player_id: player_id.to_string(),
            time_class: case.time_class,
            opened_at_ms: case.opened_at_ms,
        }));
        events.push(PlayerEvent::PlayerBarred(wire::PlayerBarred {
            player_id: player_id.to_string(),
            case_id,
        }));
    }
    players::put(conn, player_id, &row).await?;
    Ok(events)
}

fn place_hold(row: &mut PlayerRow, player_id: Uuid, now: OffsetDateTime) -> PlayerEvent {
    let hold_id = Uuid::now_v7();
    row.hold_id = Some(hold_id);
    row.hold_until = Some(now + PRIZE_HOLD);
    PlayerEvent::PrizeHoldPlaced(wire::PrizeHoldPlaced {
        hold_id: hold_id.to_string(),
        player_id: player_id.to_string(),
        placed_at_ms: unix_ms(now),
        until_ms: unix_ms(now + PRIZE_HOLD),
    })
}

/// Ends a hold, if there is one.
pub fn release_hold(
    row: &mut PlayerRow,
    player_id: Uuid,
    end: wire::PrizeHoldEnd,
    now: OffsetDateTime,
) -> Option<PlayerEvent> {
    let hold_id = row.hold_id.take()?;
    row.hold_until = None;
    Some(PlayerEvent::PrizeHoldReleased(wire::PrizeHoldReleased {
        hold_id: hold_id.to_string(),
        player_id: player_id.to_string(),
        end: end.into(),
        released_at_ms: unix_ms(now),
    }))
}

/// Milliseconds since the Unix epoch.
#[must_use]
pub fn unix_ms(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).expect("the calendar ends long before")
}
