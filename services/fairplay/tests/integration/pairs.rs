//! Six staked games a pair and UTC day, from the events of matches and games.

use std::sync::Arc;

use event_bus::HandleError;
use fairplay::bus::{GameEvents, MatchEvents};
use sqlx::PgPool;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::support::events::{AFTER_MIDNIGHT_MS, BEFORE_MIDNIGHT_MS, Event, FOOLS_MATE, Match};
use crate::support::{database, deliver, event_counts, job};

async fn matchmaking(pool: &PgPool, event: &Event) -> Result<(), HandleError> {
    deliver(pool, &MatchEvents, &event.message()).await
}

async fn game(pool: &PgPool, event: &Event) -> Result<(), HandleError> {
    deliver(pool, &GameEvents { wake: Arc::new(Notify::new()) }, &event.message()).await
}

/// The last answer about a match, as it stands in the log.
async fn answer(pool: &PgPool, pairing: &Match) -> Option<String> {
    sqlx::query_scalar("select type from events where data like $1 order by recorded_at desc limit 1")
        .bind([&b"\n$"[..], pairing.match_id.to_string().as_bytes(), b"%"].concat())
        .fetch_optional(pool)
        .await
        .expect("readable")
}

pub async fn propose(pool: &PgPool, pairing: &Match, proposed_at_ms: i64) -> Option<String> {
    matchmaking(pool, &pairing.proposed(proposed_at_ms)).await.expect("handled");
    answer(pool, pairing).await
}

pub fn reserved() -> Option<String> {
    Some("PairingReserved".to_owned())
}

pub fn refused() -> Option<String> {
    Some("PairingRefused".to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_concurrent_proposals_of_a_pair_give_exactly_six_reservations() {
    // E14, FAIR-11
    let database = database().await;
    let (a, b) = (Uuid::now_v7(), Uuid::now_v7());
    let mut proposals = JoinSet::new();
    for index in 0..200 {
        let pool = database.pool.clone();
        let pairing = if index % 2 == 0 { Match::new(a, b) } else { Match::new(b, a) };
        proposals.spawn(async move {
            let event = pairing.proposed(BEFORE_MIDNIGHT_MS);
            while let Err(error) = matchmaking(&pool, &event).await {
                assert!(!matches!(error, HandleError::Permanent(_)), "{error}");
            }
        });
    }
    while let Some(ended) = proposals.join_next().await {
        ended.expect("no panic");
    }
    let counts = event_counts(&database.pool).await;
    assert_eq!(counts, [("PairingRefused".to_owned(), 194), ("PairingReserved".to_owned(), 6)]);
    let slots: Vec<i16> = sqlx::query_scalar("select slots_taken from pair_days")
        .fetch_all(&database.pool)
        .await
        .expect("readable");
    assert_eq!(slots, [6]);
}

#[tokio::test]
async fn the_seventh_match_of_a_day_is_refused_and_other_pairs_and_days_are_not() {
    // E14
    let database = database().await;
    let pool = &database.pool;
    let (a, b, c) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    for index in 0..6 {
        let pairing = if index % 2 == 0 { Match::new(a, b) } else { Match::new(b, a) };
        assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, reserved());
        game(pool, &pairing.ended(FOOLS_MATE)).await.expect("handled");
        assert_eq!(answer(pool, &pairing).await.as_deref(), Some("PairingCounted"));
    }
    assert_eq!(propose(pool, &Match::new(a, b), BEFORE_MIDNIGHT_MS).await, refused());
    assert_eq!(propose(pool, &Match::new(b, a), BEFORE_MIDNIGHT_MS + 59_999).await, refused());
    assert_eq!(propose(pool, &Match::new(a, c), BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(a, b), BEFORE_MIDNIGHT_MS + 60_000).await, reserved());
    assert_eq!(propose(pool, &Match::new(a, b), AFTER_MIDNIGHT_MS).await, reserved());
}

#[tokio::test]
async fn aborted_games_and_cancelled_matches_do_not_count() {
    // E14
    let database = database().await;
    let pool = &database.pool;
    let (a, b) = (Uuid::now_v7(), Uuid::now_v7());
    let matches: Vec<Match> = (0..6).map(|_| Match::new(a, b)).collect();
    for pairing in &matches {
        assert_eq!(propose(pool, pairing, BEFORE_MIDNIGHT_MS).await, reserved());
    }
    assert_eq!(propose(pool, &Match::new(a, b), BEFORE_MIDNIGHT_MS).await, refused());
    game(pool, &matches[0].aborted()).await.expect("handled");
    matchmaking(pool, &matches[1].cancelled()).await.expect("handled");
    assert_eq!(answer(pool, &matches[0]).await.as_deref(), Some("PairingReleased"));
    assert_eq!(propose(pool, &Match::new(b, a), BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(a, b), BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(a, b), BEFORE_MIDNIGHT_MS).await, refused());
}

#[tokio::test]
async fn a_match_reserved_before_midnight_and_ended_after_it_belongs_to_the_day_before() {
    // E14
    let database = database().await;
    let pool = &database.pool;
    let pairing = Match::of_strangers();
    assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, reserved());
    let next_day = Match::new(pairing.white, pairing.black);
    assert_eq!(propose(pool, &next_day, AFTER_MIDNIGHT_MS).await, reserved());
    game(pool, &pairing.ended(FOOLS_MATE)).await.expect("handled");
    let days: Vec<(i32, i16)> = sqlx::query_as("select day, slots_taken from pair_days order by day")
        .fetch_all(pool)
        .await
        .expect("readable");
    assert_eq!(days, [(20_453, 1), (20_454, 1)]);
}

#[tokio::test]
async fn what_comes_twice_takes_effect_once_and_no_answer_changes() {
    // FAIR-12
    let database = database().await;
    let pool = &database.pool;
    let (a, b) = (Uuid::now_v7(), Uuid::now_v7());
    let matches: Vec<Match> = (0..7).map(|_| Match::new(a, b)).collect();
    for pairing in matches.iter().chain(&matches) {
        matchmaking(pool, &pairing.proposed(BEFORE_MIDNIGHT_MS)).await.expect("handled");
    }
    for _ in 0..2 {
        game(pool, &matches[0].ended(FOOLS_MATE)).await.expect("handled");
        matchmaking(pool, &matches[1].cancelled()).await.expect("handled");
    }
    // There is a place now, but the seventh match has had its answer.
    assert_eq!(propose(pool, &matches[6], BEFORE_MIDNIGHT_MS).await, refused());
    assert_eq!(propose(pool, &matches[1], BEFORE_MIDNIGHT_MS).await.as_deref(), Some("PairingReleased"));
    let wanted = [
        ("AnalysisQueued", 1),
        ("PairingCounted", 1),
        ("PairingRefused", 1),
        ("PairingReleased", 1),
        ("PairingReserved", 6),
    ];
    assert_eq!(event_counts(pool).await, wanted.map(|(kind, count)| (kind.to_owned(), count)));
}

#[tokio::test]
async fn a_match_cancelled_before_its_proposal_came_takes_no_place() {
    // FAIR-12
    let database = database().await;
    let pool = &database.pool;
    let pairing = Match::of_strangers();
    matchmaking(pool, &pairing.cancelled()).await.expect("handled");
    assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, None);
    for _ in 0..6 {
        let other = Match::new(pairing.white, pairing.black);
        assert_eq!(propose(pool, &other, BEFORE_MIDNIGHT_MS).await, reserved());
    }
}

#[tokio::test]
async fn a_game_that_overtakes_its_proposal_is_tried_again() {
    let database = database().await;
    let pool = &database.pool;
    let pairing = Match::of_strangers();
    let early = game(pool, &pairing.ended(FOOLS_MATE)).await;
    assert!(matches!(early, Err(HandleError::Transient(_))), "{early:?}");
    assert_eq!(event_counts(pool).await, []);
    assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, reserved());
    game(pool, &pairing.ended(FOOLS_MATE)).await.expect("handled");
    assert_eq!(job(pool, pairing.game_id).await.status, "queued");
}

#[tokio::test]
async fn a_game_without_a_place_is_analysed_all_the_same_and_a_counted_one_cannot_be_released() {
    let database = database().await;
    let pool = &database.pool;
    let stray = Match::of_strangers();
    assert_eq!(propose(pool, &stray, BEFORE_MIDNIGHT_MS).await, reserved());
    matchmaking(pool, &stray.cancelled()).await.expect("handled");
    game(pool, &stray.ended(FOOLS_MATE)).await.expect("handled");
    assert_eq!(answer(pool, &stray).await.as_deref(), Some("PairingReleased"));
    assert_eq!(job(pool, stray.game_id).await.status, "queued");

    let counted = Match::of_strangers();
    assert_eq!(propose(pool, &counted, BEFORE_MIDNIGHT_MS).await, reserved());
    game(pool, &counted.ended(FOOLS_MATE)).await.expect("handled");
    for late in [game(pool, &counted.aborted()).await, matchmaking(pool, &counted.cancelled()).await] {
        assert!(matches!(late, Err(HandleError::Permanent(_))), "{late:?}");
    }
    assert_eq!(answer(pool, &counted).await.as_deref(), Some("PairingCounted"));
}

#[tokio::test]
async fn games_without_a_match_mean_nothing_here() {
    let database = database().await;
    let pairing = Match::of_strangers();
    for mut event in [pairing.ended(FOOLS_MATE), pairing.aborted()] {
        // Field 2 is the match's id.
        let at = event.data.windows(2).position(|bytes| bytes == [0x12, 36]).expect("a match id");
        event.data.drain(at..at + 38);
        game(&database.pool, &event).await.expect("handled");
    }
    assert_eq!(event_counts(&database.pool).await, []);
}

#[tokio::test]
async fn messages_that_make_no_sense_are_permanent_faults_and_change_nothing() {
    let database = database().await;
    let pool = &database.pool;
    let player = Uuid::now_v7();
    let with_himself = Match::new(player, player);
    let mut of_another_stream = Match::of_strangers().proposed(BEFORE_MIDNIGHT_MS);
    of_another_stream.stream.id = Uuid::now_v7();
    let mut damaged = Match::of_strangers().proposed(BEFORE_MIDNIGHT_MS);
    damaged.data = vec![0xff; 10];
    let out_of_time = Match::of_strangers().proposed(i64::MAX);
    for event in [with_himself.proposed(BEFORE_MIDNIGHT_MS), of_another_stream, damaged, out_of_time] {
        let answer = matchmaking(pool, &event).await;
        assert!(matches!(answer, Err(HandleError::Permanent(_))), "{answer:?}");
    }
    let rows: i64 =
        sqlx::query_scalar("select (select count(*) from match_pairs) + (select count(*) from events)")
            .fetch_one(pool)
            .await
            .expect("readable");
    assert_eq!(rows, 0);
}
