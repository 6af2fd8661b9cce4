//! Random histories against a model that is a map of lists.

mod support;

use event_store::{Append, AppendError, GroupCommit, GroupCommitConfig, StreamId, Version, append_in};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::PgPool;
use std::collections::HashMap;
use support::{Mark, append, group_commit, marks, marks_of, new_stream, public_append};

const STREAMS: usize = 3;
const CASES: u32 = 40;

/// One step of a history: an append whose expectation is right, or off by a little.
#[derive(Debug, Clone)]
struct Step {
    stream: usize,
    offset: Version,
    count: usize,
    path: Path,
    repeat: Repeat,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Path {
    Grouped,
    InTransaction,
    RolledBack,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Repeat {
    No,
    Yes,
}

fn step() -> impl Strategy<Value = Step> {
    let offset = prop_oneof![6 => Just(0), 1 => Just(-1), 1 => Just(1), 1 => -3..4i64];
    let path = prop_oneof![Just(Path::Grouped), Just(Path::InTransaction), Just(Path::RolledBack)];
    let repeat = prop_oneof![4 => Just(Repeat::No), 1 => Just(Repeat::Yes)];
    (0..STREAMS, offset, 1..6usize, path, repeat).prop_map(|(stream, offset, count, path, repeat)| Step {
        stream,
        offset,
        count,
        path,
        repeat,
    })
}

// STORE-1, STORE-2, STORE-6
#[test]
fn any_history_of_appends_gives_what_the_model_gives() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let database = runtime.block_on(support::database("model"));
    let writers = runtime.block_on(async { group_commit(&database.pool, GroupCommitConfig::default()) });
    let mut runner = TestRunner::new(ProptestConfig { cases: CASES, ..ProptestConfig::default() });
    let histories = proptest::collection::vec(step(), 1..25);
    runner
        .run(&histories, |history| runtime.block_on(replay(&database.pool, &writers, history)))
        .expect("store and model agree");
}

async fn replay(pool: &PgPool, writers: &GroupCommit, history: Vec<Step>) -> Result<(), TestCaseError> {
    let streams: Vec<StreamId> = (0..STREAMS).map(|_| new_stream()).collect();
    let mut model: HashMap<usize, Vec<Mark>> = HashMap::new();
    for step in history {
        let log = model.entry(step.stream).or_default();
        let actual = log.len() as Version;
        let expected = (actual + step.offset).max(0);
        let proposed = append(streams[step.stream], expected, step.count);
        let outcome = run(pool, writers, &proposed, step.path).await;
        if expected == actual {
            prop_assert_eq!(outcome.ok(), Some(actual + step.count as Version));
            if step.path != Path::RolledBack {
                log.extend(marks(&proposed));
            }
        } else {
            let is_conflict = matches!(outcome, Err(AppendError::Conflict { expected: e, actual: a })
                if (e, a) == (expected, actual));
            prop_assert!(is_conflict, "{:?}", outcome);
        }
        if step.repeat == Repeat::Yes && expected == actual && step.path != Path::RolledBack {
            let again = run(pool, writers, &proposed, step.path).await;
            prop_assert_eq!(again.is_ok(), step.path == Path::Grouped);
        }
    }
    for (stream, log) in &model {
        prop_assert_eq!(&marks_of(pool, streams[*stream]).await, log);
    }
    Ok(())
}

async fn run(
    pool: &PgPool,
    writers: &GroupCommit,
    append: &Append,
    path: Path,
) -> Result<Version, AppendError> {
    if path == Path::Grouped {
        return writers.append(append.clone()).await;
    }
    let mut tx = pool.begin().await?;
    let version = append_in(&mut tx, append).await?;
    if path == Path::RolledBack {
        tx.rollback().await?
    } else {
        tx.commit().await?
    }
    Ok(version)
}

// STORE-1, STORE-2, STORE-4: many writers of few streams, each loading and trying again, as owners in two processes would.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_that_retry_build_whole_streams() {
    let database = support::database("concurrent").await;
    let streams: Vec<StreamId> = (0..4).map(|_| new_stream()).collect();
    // Two group commits that know nothing of each other, like two processes.
    let commits = [0, 1].map(|_| group_commit(&database.pool, GroupCommitConfig::default()));
    let writers = (0..16usize).map(|writer| {
        let (pool, commit) = (database.pool.clone(), commits[writer % 2].clone());
        let stream = streams[writer / 4];
        tokio::spawn(async move {
            let mut written = Vec::new();
            for round in 0..15 {
                let count = 1 + (writer + round) % 4;
                let append = loop {
                    let expected = event_store::head(&pool, stream.id).await.expect("readable");
                    let append = public_append(stream, expected, count);
                    match commit.append(append.clone()).await {
                        Ok(_) => break append,
                        Err(AppendError::Conflict { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                };
                written.push(append);
            }
            written
        })
    });
    let mut written: Vec<Append> = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        written.extend(writer.await.expect("no panic"));
    }
    for stream in streams {
        let mut wanted: Vec<&Append> = written.iter().filter(|append| append.stream == stream).collect();
        wanted.sort_by_key(|append| append.expected);
        let events: Vec<Mark> = wanted.iter().flat_map(|append| marks(append)).collect();
        assert_eq!(marks_of(&database.pool, stream).await, events);
        let announced: Vec<Version> =
            sqlx::query_scalar("select version from outbox where stream_id = $1 order by position")
                .bind(stream.id)
                .fetch_all(&database.pool)
                .await
                .expect("readable");
        assert!(announced.iter().copied().eq(1..=events.len() as Version));
    }
}
