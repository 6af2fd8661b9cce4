//! What the group commit promises beyond a single append.

mod support;

use event_store::{Append, AppendError, GroupCommit, GroupCommitConfig, append_in};
use sqlx::PgPool;
use std::time::Duration;
use support::{
    PATIENCE, append, database, events_of, group_commit, marks, marks_of, new_stream, outbox, public_append,
};
use test_kit::eventually;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

fn one_writer() -> GroupCommitConfig {
    GroupCommitConfig { writers: 1, ..GroupCommitConfig::default() }
}

/// Holds the only writer: it waits for a row of an open transaction. Dropping the transaction lets it go on.
async fn hold_writer(pool: &PgPool, writers: &GroupCommit) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let stream = new_stream();
    let mut tx = pool.begin().await.expect("a transaction");
    append_in(&mut tx, &append(stream, 0, 1)).await.expect("written");
    let writers = writers.clone();
    tokio::spawn(async move { writers.append(append(stream, 0, 1)).await });
    support::a_backend_waits_for_a_lock(pool).await;
    tx
}

// STORE-3
#[tokio::test]
async fn a_conflict_fails_alone_in_its_batch() {
    let database = database("batch").await;
    let writers = group_commit(&database.pool, one_writer());
    let stale = new_stream();
    writers.append(append(stale, 0, 1)).await.expect("written");
    let held = hold_writer(&database.pool, &writers).await;
    let streams: Vec<_> = (0..20).map(|_| new_stream()).collect();
    let mut tries: Vec<_> = streams.iter().map(|stream| public_append(*stream, 0, 3)).collect();
    tries.insert(10, public_append(stale, 0, 2));
    let outcomes = futures::future::join_all(tries.into_iter().map(|append| writers.append(append)));
    let ((), outcomes) = tokio::join!(async { held.rollback().await.expect("rolled back") }, outcomes);
    for (index, outcome) in outcomes.iter().enumerate() {
        match index {
            10 => assert!(
                matches!(outcome, Err(AppendError::Conflict { expected: 0, actual: 1 })),
                "{outcome:?}"
            ),
            _ => assert!(matches!(outcome, Ok(3)), "{outcome:?}"),
        }
    }
    assert_eq!(events_of(&database.pool, stale).await.len(), 1);
    assert_eq!(outbox(&database.pool).await.len(), 60);
}

// STORE-3
#[tokio::test]
async fn what_the_database_refuses_fails_alone_in_its_batch() {
    let database = database("refused").await;
    sqlx::raw_sql("alter table events add constraint no_such_kind check (type <> 'Refused')")
        .execute(&database.pool)
        .await
        .expect("altered");
    let writers = group_commit(&database.pool, one_writer());
    let held = hold_writer(&database.pool, &writers).await;
    let mut bad = append(new_stream(), 0, 2);
    bad.events[1].kind = "Refused";
    let good: Vec<_> = (0..5).map(|_| append(new_stream(), 0, 2)).collect();
    let good_streams: Vec<_> = good.iter().map(|append| append.stream).collect();
    let bad_stream = bad.stream;
    let all = good.into_iter().chain([bad]).map(|append| writers.append(append));
    let ((), outcomes) =
        tokio::join!(async { held.rollback().await.expect("rolled back") }, futures::future::join_all(all));
    let (last, rest) = outcomes.split_last().expect("six outcomes");
    assert!(rest.iter().all(|outcome| matches!(outcome, Ok(2))), "{rest:?}");
    let error = last.as_ref().expect_err("refused");
    assert!(matches!(error, AppendError::Unavailable(_)) && !error.may_have_landed(), "{error:?}");
    for stream in good_streams {
        assert_eq!(events_of(&database.pool, stream).await.len(), 2);
    }
    assert_eq!(events_of(&database.pool, bad_stream).await, []);
}

// STORE-5
#[tokio::test]
async fn a_caller_that_leaves_does_not_call_its_append_off() {
    let database = database("leaves").await;
    let writers = group_commit(&database.pool, one_writer());
    let held = hold_writer(&database.pool, &writers).await;
    let stream = new_stream();
    {
        let mut leaving = Box::pin(writers.append(append(stream, 0, 2)));
        assert!(futures::poll!(leaving.as_mut()).is_pending());
    }
    held.rollback().await.expect("rolled back");
    eventually(PATIENCE, || async { (events_of(&database.pool, stream).await.len() == 2).then_some(()) })
        .await;
}

// STORE-6
#[tokio::test]
async fn a_repeated_append_gets_the_first_answer_and_writes_nothing() {
    let database = database("repeated").await;
    let writers = group_commit(&database.pool, one_writer());
    for first in [public_append(new_stream(), 0, 2), append(new_stream(), 0, 2)] {
        assert_eq!(writers.append(first.clone()).await.expect("written"), 2);
        writers.append(append(first.stream, 2, 1)).await.expect("written");
        assert_eq!(writers.append(first.clone()).await.expect("recognised"), 2);
        assert_eq!(events_of(&database.pool, first.stream).await.len(), 3);
    }
    assert_eq!(outbox(&database.pool).await.len(), 2);
}

// STORE-6: nobody hears of a write that the log does not hold, whatever of it the log does hold.
#[tokio::test]
async fn an_append_that_differs_in_anything_from_what_stands_at_its_place_is_a_conflict() {
    let database = database("differs").await;
    let writers = group_commit(&database.pool, one_writer());
    let first = append(new_stream(), 0, 2);
    let mut named = append(new_stream(), 0, 2);
    named.events[0].event_id = Some(Uuid::now_v7());
    let changes: [fn(&mut Append); 9] = [
        |append| append.events[0].data[0] ^= 1,
        |append| append.events[1].data[0] ^= 1,
        |append| append.events[0].kind = "DrawOffered",
        |append| append.events[1].schema = 2,
        |append| append.events[0].event_id = Some(Uuid::now_v7()),
        |append| append.events[1].event_id = Some(Uuid::now_v7()),
        |append| append.metadata.actor.push('s'),
        |append| append.metadata.causation_id = Uuid::now_v7(),
        |append| append.events.push(append.events[1].clone()),
    ];
    for written in [first, named] {
        assert_eq!(writers.append(written.clone()).await.expect("written"), 2);
        for change in changes {
            let mut other = written.clone();
            change(&mut other);
            let outcome = writers.append(other.clone()).await;
            assert!(matches!(outcome, Err(AppendError::Conflict { expected: 0, actual: 2 })), "{other:?}");
        }
        let mut nameless = written.clone();
        nameless.events[0].event_id = None;
        assert_eq!(writers.append(nameless).await.is_ok(), written.events[0].event_id.is_none());
        assert_eq!(writers.append(written.clone()).await.expect("recognised"), 2);
        assert_eq!(marks_of(&database.pool, written.stream).await, marks(&written));
    }
}

// STORE-6, STORE-3
#[tokio::test]
async fn repeats_and_conflicts_of_one_batch_are_told_apart() {
    let database = database("apart").await;
    let writers = group_commit(&database.pool, one_writer());
    let written: Vec<Append> = (0..6).map(|_| append(new_stream(), 0, 3)).collect();
    for append in &written {
        writers.append(append.clone()).await.expect("written");
    }
    let held = hold_writer(&database.pool, &writers).await;
    let again = written.iter().zip(0..).map(|(written, index)| {
        let mut again = written.clone();
        if index % 2 == 1 {
            again.events[2].data.push(0);
        }
        writers.append(again)
    });
    let ((), outcomes) =
        tokio::join!(async { held.rollback().await.expect("rolled back") }, futures::future::join_all(again));
    for (outcome, index) in outcomes.iter().zip(0..) {
        let conflicts = matches!(outcome, Err(AppendError::Conflict { expected: 0, actual: 3 }));
        assert_eq!((outcome.is_ok(), conflicts), (index % 2 == 0, index % 2 == 1), "{outcome:?}");
    }
}

// STORE-6: the connection dies under the statement; whether it landed is found out by repeating it.
#[tokio::test]
async fn a_broken_connection_is_answered_with_what_became_of_the_write() {
    let database = database("broken").await;
    let writers = group_commit(&database.pool, one_writer());
    let stream = new_stream();
    let mut tx = database.pool.begin().await.expect("a transaction");
    append_in(&mut tx, &append(stream, 0, 1)).await.expect("written");
    let wanted = append(stream, 0, 3);
    let events = marks(&wanted);
    let outcome = tokio::spawn(async move { writers.append(wanted).await });
    let broken = support::a_backend_waits_for_a_lock(&database.pool).await;
    let killed: bool = sqlx::query_scalar("select pg_terminate_backend($1)")
        .bind(broken)
        .fetch_one(&database.pool)
        .await
        .expect("killed");
    assert!(killed);
    // The repeat waits for the same row again, on another connection.
    eventually(PATIENCE, || async {
        let waiting = support::a_backend_waits_for_a_lock(&database.pool).await;
        (waiting != broken).then_some(())
    })
    .await;
    tx.rollback().await.expect("rolled back");
    assert_eq!(outcome.await.expect("no panic").expect("written"), 3);
    assert_eq!(marks_of(&database.pool, stream).await, events);
}

// STORE-8
#[tokio::test]
async fn a_full_queue_refuses_at_once_and_what_was_queued_is_written() {
    let database = database("full").await;
    let writers = group_commit(&database.pool, GroupCommitConfig { queue_max: 3, ..one_writer() });
    let held = hold_writer(&database.pool, &writers).await;
    let streams: Vec<_> = (0..3).map(|_| new_stream()).collect();
    let mut queued: Vec<_> =
        streams.iter().map(|stream| Box::pin(writers.append(append(*stream, 0, 1)))).collect();
    for append in &mut queued {
        assert!(futures::poll!(append.as_mut()).is_pending());
    }
    let refused = writers.append(append(new_stream(), 0, 1)).await;
    assert!(matches!(refused, Err(AppendError::Overloaded)), "{refused:?}");
    held.rollback().await.expect("rolled back");
    for outcome in futures::future::join_all(queued).await {
        assert_eq!(outcome.expect("written"), 1);
    }
}

// STORE-7
#[tokio::test]
async fn appends_of_a_stream_may_be_handed_over_before_the_one_before_is_written() {
    let database = database("pipelined").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let stream = new_stream();
    let appends = (0..50).map(|index| writers.append(append(stream, index * 2, 2)));
    for (index, outcome) in futures::future::join_all(appends).await.into_iter().enumerate() {
        assert_eq!(outcome.expect("written"), index as i64 * 2 + 2);
    }
}

// STORE-5
#[tokio::test]
async fn a_stop_writes_what_is_queued_and_refuses_what_comes_later() {
    let database = database("stop").await;
    let shutdown = CancellationToken::new();
    let writers = GroupCommit::start(database.pool.clone(), one_writer(), "test", shutdown.clone());
    let held = hold_writer(&database.pool, &writers).await;
    let stream = new_stream();
    let mut queued = Box::pin(writers.append(append(stream, 0, 1)));
    assert!(futures::poll!(queued.as_mut()).is_pending());
    shutdown.cancel();
    held.rollback().await.expect("rolled back");
    assert_eq!(queued.await.expect("written"), 1);
    tokio::time::timeout(PATIENCE, writers.stopped()).await.expect("stopped");
    let refused = writers.append(append(stream, 1, 1)).await;
    assert!(matches!(refused, Err(AppendError::Stopped)), "{refused:?}");
}

#[tokio::test]
async fn a_commit_of_public_events_signals_and_one_of_private_events_does_not() {
    let database = database("signal").await;
    let writers = group_commit(&database.pool, one_writer());
    let signal = writers.signal();
    writers.append(append(new_stream(), 0, 1)).await.expect("written");
    let mut waiting = Box::pin(signal.wait());
    assert!(futures::poll!(waiting.as_mut()).is_pending());
    writers.append(public_append(new_stream(), 0, 1)).await.expect("written");
    tokio::time::timeout(PATIENCE, waiting).await.expect("signalled");
}

// STORE-2, STORE-5: acknowledged is on disk, also for a database that is killed in the middle of the load.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_a_crash_of_the_database() {
    let mut postgres = test_kit::own_postgres(test_kit::Durability::Durable).await;
    let database = postgres.database("crash").await;
    sqlx::raw_sql(event_store::schema()).execute(&database.pool).await.expect("the schema is valid");
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let stop = CancellationToken::new();
    let load = (0..40).map(|_| {
        let (writers, stop) = (writers.clone(), stop.clone());
        tokio::spawn(async move {
            let stream = new_stream();
            let mut acknowledged = 0;
            let mut expected = 0;
            while !stop.is_cancelled() {
                let next = public_append(stream, expected, 3);
                // The same append until it is answered: it is recognised.
                expected = loop {
                    match writers.append(next.clone()).await {
                        Ok(version) => break version,
                        Err(error @ AppendError::Conflict { .. }) => panic!("{error}"),
                        Err(_) => tokio::task::yield_now().await,
                    }
                };
                acknowledged = expected;
            }
            (stream, acknowledged)
        })
    });
    let load: Vec<_> = load.collect();
    let enough = || async { (outbox(&database.pool).await.len() > 500).then_some(()) };
    eventually(PATIENCE, enough).await;
    postgres.crash();
    postgres.start().expect("started again");
    let alive = || async { sqlx::query("select 1").execute(&database.pool).await.ok() };
    eventually(PATIENCE, alive).await;
    stop.cancel();
    for outcome in futures::future::join_all(load).await {
        let (stream, acknowledged) = outcome.expect("no panic");
        let events = events_of(&database.pool, stream).await;
        assert_eq!(events.len() as i64, acknowledged);
        assert!(events.iter().zip(1..).all(|(event, version)| event.version == version));
    }
    let (events, announced): (i64, i64) =
        sqlx::query_as("select (select count(*) from events), (select count(*) from outbox)")
            .fetch_one(&database.pool)
            .await
            .expect("counted");
    assert_eq!(events, announced);
}

#[tokio::test]
async fn a_database_that_stays_away_is_reported_and_nothing_is_said_to_be_written() {
    let mut postgres = test_kit::own_postgres(test_kit::Durability::Volatile).await;
    let url = postgres.database("away").await.url;
    let pool = sqlx::postgres::PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(200))
        .connect_lazy(&url)
        .expect("a pool");
    postgres.stop();
    let config = GroupCommitConfig { retry_max: Duration::from_millis(300), ..one_writer() };
    let error =
        group_commit(&pool, config).append(append(new_stream(), 0, 1)).await.expect_err("unavailable");
    assert!(matches!(error, AppendError::Unavailable(_)), "{error:?}");
}
