//! Appending, inside a transaction and through the group commit: the same promises.

mod support;

use event_store::{
    Append, AppendError, EVENT_DATA_BYTES_MAX, EVENTS_PER_APPEND_MAX, GroupCommit, GroupCommitConfig,
    InvalidAppend, NewEvent, Publication, Version, append_in,
};
use sqlx::PgPool;
use support::{
    append, database, event, events_of, group_commit, marks, marks_of, new_stream, outbox, public_append,
};
use uuid::Uuid;

/// The two ways to append.
#[derive(Clone)]
enum Way {
    InTransaction(PgPool),
    Grouped(GroupCommit),
}

impl Way {
    async fn append(&self, append: Append) -> Result<Version, AppendError> {
        match self {
            Self::Grouped(writers) => writers.append(append).await,
            Self::InTransaction(pool) => {
                let mut tx = pool.begin().await?;
                let version = append_in(&mut tx, &append).await?;
                tx.commit().await?;
                Ok(version)
            }
        }
    }
}

async fn both_ways(hint: &str) -> [(PgPool, Way); 2] {
    let (first, second) = tokio::join!(database(hint), database(hint));
    let writers = group_commit(&second.pool, GroupCommitConfig::default());
    [(first.pool.clone(), Way::InTransaction(first.pool)), (second.pool, Way::Grouped(writers))]
}

fn is_conflict(outcome: &Result<Version, AppendError>, expected: Version, actual: Version) -> bool {
    matches!(outcome, Err(AppendError::Conflict { expected: e, actual: a }) if (*e, *a) == (expected, actual))
}

#[tokio::test]
async fn what_was_appended_is_read_back_as_it_was() {
    for (pool, way) in both_ways("read_back").await {
        let stream = new_stream();
        let first = append(stream, 0, 2);
        let second = append(stream, 2, 1);
        assert_eq!(way.append(first.clone()).await.expect("written"), 2);
        assert_eq!(way.append(second.clone()).await.expect("written"), 3);
        let events = events_of(&pool, stream).await;
        assert_eq!(events.iter().map(|event| event.version).collect::<Vec<_>>(), [1, 2, 3]);
        for (event, (wanted, metadata)) in events.iter().zip(
            first
                .events
                .iter()
                .map(|event| (event, &first.metadata))
                .chain([(&second.events[0], &second.metadata)]),
        ) {
            assert_eq!(
                (event.event_id, event.kind.as_str(), event.schema),
                (wanted.event_id, wanted.kind, 1)
            );
            assert_eq!((&event.data, &event.metadata), (&wanted.data, metadata));
        }
        assert!(events.is_sorted_by_key(|event| event.recorded_at));
    }
}

// STORE-1
#[tokio::test]
async fn a_stale_or_premature_expectation_is_a_conflict_and_writes_nothing() {
    for (pool, way) in both_ways("stale").await {
        let stream = new_stream();
        way.append(append(stream, 0, 3)).await.expect("written");
        for (expected, count) in [(0, 1), (0, 5), (1, 4), (2, 1), (4, 1), (9, 2)] {
            let outcome = way.append(append(stream, expected, count)).await;
            assert!(is_conflict(&outcome, expected, 3), "{expected}: {outcome:?}");
        }
        let unknown = new_stream();
        assert!(is_conflict(&way.append(append(unknown, 1, 1)).await, 1, 0));
        assert_eq!(events_of(&pool, stream).await.len(), 3);
        assert_eq!(events_of(&pool, unknown).await.len(), 0);
    }
}

fn announce(event: &mut NewEvent, follows: Version) {
    event.publication = Publication::Public { follows };
    event.event_id = Some(Uuid::now_v7());
}

// STORE-4
#[tokio::test]
async fn public_events_and_only_they_are_in_the_outbox_in_order() {
    for (pool, way) in both_ways("outbox").await {
        let stream = new_stream();
        let mut mixed = append(stream, 0, 4);
        announce(&mut mixed.events[0], 0);
        announce(&mut mixed.events[2], 1);
        way.append(mixed).await.expect("written");
        let mut refused = append(stream, 1, 1);
        announce(&mut refused.events[0], 1);
        way.append(refused).await.expect_err("a conflict");
        let mut last = append(stream, 4, 1);
        announce(&mut last.events[0], 3);
        way.append(last).await.expect("written");
        assert_eq!(outbox(&pool).await, [(stream.id, 1, 0), (stream.id, 3, 1), (stream.id, 5, 3)]);
    }
}

// STORE-1, STORE-2: of many that race for the same place one is written, and it is written whole.
#[tokio::test(flavor = "multi_thread")]
async fn of_racing_appends_one_wins_and_no_half_is_left() {
    for (pool, way) in both_ways("race").await {
        for round in 0..10 {
            let stream = new_stream();
            let racers: Vec<Append> =
                (0..12).map(|racer| public_append(stream, 0, 1 + (racer + round) % 5)).collect();
            let tries = racers.iter().cloned().map(|append| {
                let way = way.clone();
                tokio::spawn(async move { way.append(append).await })
            });
            let outcomes: Vec<_> = futures::future::join_all(tries.collect::<Vec<_>>()).await;
            let winners: Vec<&Append> = racers
                .iter()
                .zip(&outcomes)
                .filter(|(_, outcome)| outcome.as_ref().expect("no panic").is_ok())
                .map(|(append, _)| append)
                .collect();
            assert_eq!(winners.len(), 1, "{outcomes:?}");
            assert_eq!(marks_of(&pool, stream).await, marks(winners[0]));
        }
    }
}

// STORE-2: a longer append that waits for a shorter one must not write its tail behind it.
#[tokio::test]
async fn an_append_that_waited_for_a_commit_leaves_nothing_behind() {
    let database = database("waited").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let stream = new_stream();
    let mut tx = database.pool.begin().await.expect("a transaction");
    append_in(&mut tx, &append(stream, 0, 2)).await.expect("written");
    let longer = tokio::spawn({
        let writers = writers.clone();
        async move { writers.append(public_append(stream, 0, 4)).await }
    });
    support::a_backend_waits_for_a_lock(&database.pool).await;
    tx.commit().await.expect("committed");
    let outcome = longer.await.expect("no panic");
    assert!(is_conflict(&outcome, 0, 2), "{outcome:?}");
    assert_eq!(events_of(&database.pool, stream).await.len(), 2);
    assert_eq!(outbox(&database.pool).await, []);
}

#[tokio::test]
async fn an_append_that_waited_for_a_rollback_is_written() {
    let database = database("rolled_back").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let stream = new_stream();
    let mut tx = database.pool.begin().await.expect("a transaction");
    append_in(&mut tx, &append(stream, 0, 3)).await.expect("written");
    let second = public_append(stream, 0, 2);
    let wanted = marks(&second);
    let waiting = tokio::spawn(async move { writers.append(second).await });
    support::a_backend_waits_for_a_lock(&database.pool).await;
    tx.rollback().await.expect("rolled back");
    assert_eq!(waiting.await.expect("no panic").expect("written"), 2);
    assert_eq!(marks_of(&database.pool, stream).await, wanted);
}

// STORE-4
#[tokio::test]
async fn a_rolled_back_transaction_leaves_neither_event_nor_outbox_row() {
    let database = database("rollback").await;
    let stream = new_stream();
    let mut tx = database.pool.begin().await.expect("a transaction");
    append_in(&mut tx, &public_append(stream, 0, 2)).await.expect("written");
    append_in(&mut tx, &public_append(stream, 2, 1)).await.expect("a second append of one transaction");
    tx.rollback().await.expect("rolled back");
    assert_eq!(events_of(&database.pool, stream).await, []);
    assert_eq!(outbox(&database.pool).await, []);
}

#[tokio::test]
async fn a_repeat_inside_a_transaction_is_a_conflict() {
    let database = database("repeat_in").await;
    let append = append(new_stream(), 0, 2);
    let way = Way::InTransaction(database.pool.clone());
    way.append(append.clone()).await.expect("written");
    assert!(is_conflict(&way.append(append).await, 0, 2));
}

// STORE-8
#[tokio::test]
async fn what_is_past_a_limit_or_makes_no_sense_is_refused_before_the_database() {
    for (pool, way) in both_ways("limits").await {
        let stream = new_stream();
        let with = |change: fn(&mut Append)| {
            let mut append = append(stream, 0, 1);
            change(&mut append);
            append
        };
        let invalid = [
            with(|append| append.events.clear()),
            with(|append| append.events = vec![append.events[0].clone(); EVENTS_PER_APPEND_MAX + 1]),
            with(|append| append.events[0].data = vec![0; EVENT_DATA_BYTES_MAX + 1]),
            with(|append| {
                append.events[0].data = vec![0; EVENT_DATA_BYTES_MAX];
                append.events = vec![append.events[0].clone(); 17];
            }),
            with(|append| append.metadata.actor = "x".repeat(129)),
            with(|append| append.events[0].kind = "Game.Started"),
            with(|append| append.events[0].kind = ""),
            with(|append| append.stream.kind = "ga*me"),
            with(|append| append.expected = -1),
            with(|append| append.expected = Version::MAX),
            with(|append| append.events[0].publication = Publication::Public { follows: 1 }),
            with(|append| append.events[0].publication = Publication::Public { follows: -1 }),
            with(|append| {
                append.events = vec![event("A", 1, Publication::Public { follows: 0 }); 2];
            }),
            // STORE-10
            with(|append| append.events[0].publication = Publication::Public { follows: 0 }),
        ];
        for append in invalid {
            let reason = append.validate().expect_err("invalid");
            let outcome = way.append(append).await;
            assert!(matches!(&outcome, Err(AppendError::Invalid(found)) if *found == reason), "{outcome:?}");
        }
        assert_eq!(events_of(&pool, stream).await, []);
        let largest = with(|append| append.events[0].data = vec![7; EVENT_DATA_BYTES_MAX]);
        way.append(largest).await.expect("the limit itself is allowed");
    }
}

#[test]
fn the_reason_of_an_invalid_append_names_what_is_wrong() {
    let mut append = append(new_stream(), 0, 1);
    append.events[0].data = vec![0; EVENT_DATA_BYTES_MAX + 1];
    let error = append.validate().expect_err("too large");
    assert_eq!(error, InvalidAppend::EventTooLarge { kind: "MovePlayed", bytes: EVENT_DATA_BYTES_MAX + 1 });
    let mut append = public_append(new_stream(), 0, 2);
    append.events[1].event_id = None;
    assert_eq!(append.validate(), Err(InvalidAppend::NoId { kind: "GameStarted" }));
}
