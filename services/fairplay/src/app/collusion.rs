//! Looks for signs of collusion, once for each day that is over.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use domain_fairplay::collusion::{Kind, Strength, Test, WINDOW_DAYS, signs, tests};
use domain_fairplay::pairs::UtcDay;
use event_store::{CommitSignal, Metadata};
use proto::fairplay::v1 as wire;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::standing::{StandingError, unix_ms};
use crate::SERVICE;
use crate::metrics::SIGNALS;
use crate::store::player_log::{self, PlayerEvent};
use crate::store::signals::{self, NewSignal};
use crate::store::{persons, players, staked_games};

/// How often it is looked whether a day is over.
const LOOK_EVERY: Duration = Duration::from_secs(600);
/// How long after a day's end it is looked at: its last games are to be analysed by then.
const DELAY_MS: i64 = 3_600_000;
/// Days that are caught up on after a stop.
const CAUGHT_UP_DAYS: i64 = 7;
/// Games that a sign names.
const GAMES_MAX: usize = 40;
/// Players that a sign names.
const PLAYERS_MAX: usize = 40;
const DAY_MS: i64 = 86_400_000;

/// Runs until `shutdown`. Any number of instances may run it: each day is looked at once.
pub async fn run(pool: PgPool, signal: CommitSignal, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let last = UtcDay::of_unix_ms(unix_ms(OffsetDateTime::now_utc()) - DELAY_MS).0 - 1;
        for day in last - CAUGHT_UP_DAYS + 1..=last {
            match look_at(&pool, UtcDay(day)).await {
                Ok(None) => {}
                Ok(Some(raised)) => {
                    signal.committed();
                    tracing::info!(day, raised, "looked for signs of collusion");
                }
                Err(error) => tracing::warn!(%error, "signs of collusion could not be looked for"),
            }
        }
    }
}

/// Looks at a day and the six before it, and says how many signs were raised; nothing when that was done before. A sign of
/// the same kind and persons is raised once in seven days.
///
/// # Errors
/// See [`StandingError`].
pub async fn look_at(pool: &PgPool, day: UtcDay) -> Result<Option<usize>, StandingError> {
    let number = i32::try_from(day.0).unwrap_or(i32::MAX);
    let window_days = i32::try_from(WINDOW_DAYS).expect("a small number");
    let mut tx = pool.begin().await?;
    if !signals::begin_day(&mut tx, number).await? {
        return Ok(None);
    }
    let until_ms = (day.0 + 1) * DAY_MS;
    let window = (until_ms - WINDOW_DAYS * DAY_MS, until_ms);
    let persons: HashMap<Uuid, Uuid> = persons::all(&mut tx).await?.into_iter().collect();
    let games = staked_games::between(&mut tx, window, &persons).await?;
    let tested = tokio::task::spawn_blocking(move || tests(&games)).await.expect("the tests do not panic");
    let mut raised = Vec::new();
    for test in signs(&tested) {
        if !signals::is_known(&mut tx, kind(test.kind).into(), &subject(test), number - window_days).await? {
            raised.push(test);
        }
    }
    // All players in one order, before anything is written, so that nobody waits in a circle.
    let parties: BTreeSet<Uuid> = raised.iter().flat_map(|test| parties(test)).collect();
    for player_id in &parties {
        players::lock(&mut tx, *player_id).await?;
    }
    for test in &raised {
        raise(&mut tx, test, Look { number, window, tests: tested.len() }).await?;
    }
    signals::end_day(&mut tx, number, tested.len(), raised.len()).await?;
    tx.commit().await?;
    Ok(Some(raised.len()))
}

#[derive(Debug, Clone, Copy)]
struct Look {
    number: i32,
    window: (i64, i64),
    tests: usize,
}

async fn raise(conn: &mut PgConnection, test: &Test, look: Look) -> Result<(), StandingError> {
    let signal_id = Uuid::now_v7();
    let (parties, games) = (parties(test), games(test));
    let text = |ids: &[Uuid]| ids.iter().map(Uuid::to_string).collect();
    let signal = wire::CollusionSignal {
        signal_id: signal_id.to_string(),
        kind: wire::CollusionKind::try_from(i32::from(kind(test.kind))).unwrap_or_default().into(),
        strength: match test.strength {
            Some(Strength::Report) => wire::CollusionStrength::Report.into(),
            Some(Strength::Warn) | None => wire::CollusionStrength::Warn.into(),
        },
        player_ids: text(&parties),
        from_ms: look.window.0,
        until_ms: look.window.1,
        observed: test.observed,
        expected: test.expected,
        p_value: test.p_value,
        tests: u32::try_from(look.tests).unwrap_or(u32::MAX),
        game_ids: text(&games),
        raised_at_ms: unix_ms(OffsetDateTime::now_utc()),
    };
    let new = NewSignal {
        signal_id,
        kind: kind(test.kind).into(),
        subject: &subject(test),
        day: look.number,
        parties: &parties,
        games: &games,
        signal: &signal,
    };
    signals::put(conn, &new).await?;
    for player_id in parties {
        let raised = wire::CollusionSignalRaised { signal: Some(signal.clone()) };
        let metadata = Metadata::for_request(SERVICE, signal_id);
        player_log::append(conn, player_id, &[PlayerEvent::CollusionSignalRaised(raised)], metadata).await?;
    }
    metrics::counter!(SIGNALS).increment(1);
    Ok(())
}

/// The number of a kind on the wire.
fn kind(kind: Kind) -> u8 {
    match kind {
        Kind::MoneyFlow => 1,
        Kind::Throwing => 2,
        Kind::GivenUpWhileBetter => 3,
        Kind::ShortWins => 4,
        Kind::SameLine => 5,
        Kind::OneOpponent => 6,
        Kind::PairedAboveChance => 7,
        Kind::FedByYoung => 8,
    }
}

fn parties(test: &Test) -> Vec<Uuid> {
    test.persons.iter().take(PLAYERS_MAX).map(|person| Uuid::from_u128(person.0)).collect()
}

/// Whom a sign is known by when it comes again: who is fed, whoever feeds him; else both, in their order.
fn subject(test: &Test) -> Vec<Uuid> {
    let mut subject = parties(test);
    if test.kind == Kind::FedByYoung {
        subject.truncate(1);
    }
    if matches!(test.kind, Kind::SameLine | Kind::PairedAboveChance) {
        subject.sort_unstable();
    }
    subject
}

fn games(test: &Test) -> Vec<Uuid> {
    let newest = test.games.len().saturating_sub(GAMES_MAX);
    test.games[newest..].iter().map(|game_id| Uuid::from_u128(*game_id)).collect()
}
