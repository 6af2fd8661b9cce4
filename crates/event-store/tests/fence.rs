//! Who may write behind a fence, on a real Postgres: the database decides, in the transaction that writes.

mod support;

use event_store::fence::{self, Grant};
use event_store::{AppendError, GroupCommit, GroupCommitConfig, append_in};
use futures::future::join_all;
use sqlx::PgPool;
use support::{a_backend_waits_for_a_lock, append, database, events_of, group_commit, new_stream};
use test_kit::eventually;

/// Raises the fence's epoch as somebody does who takes the right over.
async fn raise(pool: &PgPool, fence: i32) -> Grant {
    let epoch = sqlx::query_scalar(
        "insert into fences (fence, epoch) values ($1, 1)
         on conflict (fence) do update set epoch = fences.epoch + 1 returning epoch",
    )
    .bind(fence)
    .fetch_one(pool)
    .await
    .expect("raised");
    Grant { fence, epoch }
}

/// How many events an append has: of one go by a statement of their own, and what is said of fences holds for both.
const COUNTS: [usize; 2] = [1, 2];

fn one_writer(pool: &PgPool) -> GroupCommit {
    group_commit(pool, GroupCommitConfig { writers: 1, ..GroupCommitConfig::default() })
}

// STORE-9, STORE-3
#[tokio::test]
async fn a_stale_grant_is_refused_and_the_others_of_its_batch_are_written() {
    for count in COUNTS {
        stale_grant_in_a_batch(count).await;
    }
}

async fn stale_grant_in_a_batch(count: usize) {
    let database = database("stale").await;
    let pool = &database.pool;
    let writers = one_writer(pool);
    let stale = raise(pool, 7).await;
    let (good, new) = (raise(pool, 8).await, raise(pool, 7).await);
    // The only writer waits for a row of somebody else, so that all that follows is one batch.
    let blocked = new_stream();
    let mut other = pool.begin().await.expect("a transaction");
    append_in(&mut other, &append(blocked, 0, 1)).await.expect("written");
    let first = tokio::spawn({
        let writers = writers.clone();
        async move { writers.append(append(blocked, 0, 1)).await }
    });
    a_backend_waits_for_a_lock(pool).await;
    let streams: Vec<_> = (0..30).map(|_| new_stream()).collect();
    let grants = [stale, good, new];
    let tries = streams.iter().zip(0_usize..).map(|(stream, index)| {
        // A few without a fence are in the batch as well.
        let (writers, append, grant) = (&writers, append(*stream, 0, count), grants.get(index % 4).copied());
        async move {
            match grant {
                Some(grant) => writers.append_under(append, grant).await,
                None => writers.append(append).await,
            }
        }
    });
    let ((), outcomes) =
        tokio::join!(async { other.rollback().await.expect("rolled back") }, join_all(tries));
    first.await.expect("no panic").expect("written");
    for (index, outcome) in outcomes.iter().enumerate() {
        let written = events_of(pool, streams[index]).await.len();
        match index % 4 {
            0 => assert!(matches!(outcome, Err(AppendError::Fenced)) && written == 0, "{outcome:?}"),
            _ => assert!(
                matches!(outcome, Ok(version) if *version == count as i64) && written == count,
                "{outcome:?}"
            ),
        }
    }
}

// STORE-9: once the new epoch is there, everything under the old one is either in the log or will never be.
#[tokio::test]
async fn whoever_raises_the_epoch_waits_for_what_is_being_written_under_the_old_one() {
    for count in COUNTS {
        raised_while_something_is_written(count).await;
    }
}

async fn raised_while_something_is_written(count: usize) {
    let database = database("in_flight").await;
    let pool = &database.pool;
    let writers = one_writer(pool);
    let grant = raise(pool, 3).await;
    // A statement that holds the fence and waits for somebody else's row.
    let blocked = new_stream();
    let mut other = pool.begin().await.expect("a transaction");
    append_in(&mut other, &append(blocked, 0, 1)).await.expect("written");
    let writing = tokio::spawn({
        let writers = writers.clone();
        async move { writers.append_under(append(blocked, 0, count), grant).await }
    });
    a_backend_waits_for_a_lock(pool).await;
    let raising = tokio::spawn({
        let pool = pool.clone();
        async move { raise(&pool, 3).await }
    });
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    eventually(support::PATIENCE, || async {
        let count: i64 = sqlx::query_scalar(waiting).fetch_one(pool).await.expect("a readable view");
        (count == 2).then_some(())
    })
    .await;
    assert!(!raising.is_finished());
    other.rollback().await.expect("rolled back");
    let written = writing.await.expect("no panic").expect("written under the old epoch");
    assert_eq!(written, count as i64);
    let new = raising.await.expect("no panic");
    assert_eq!(new.epoch, grant.epoch + 1);
    let late = writers.append_under(append(blocked, written, count), grant).await;
    assert!(matches!(late, Err(AppendError::Fenced)), "{late:?}");
    assert_eq!(
        writers.append_under(append(blocked, written, count), new).await.expect("written"),
        2 * written
    );
}

// STORE-6, STORE-9
#[tokio::test]
async fn what_was_written_in_time_is_acknowledged_when_it_is_repeated_too_late() {
    let database = database("repeated").await;
    let writers = one_writer(&database.pool);
    let grant = raise(&database.pool, 1).await;
    let written = append(new_stream(), 0, 2);
    assert_eq!(writers.append_under(written.clone(), grant).await.expect("written"), 2);
    raise(&database.pool, 1).await;
    assert_eq!(writers.append_under(written.clone(), grant).await.expect("the first answer"), 2);
    let other = append(written.stream, 0, 2);
    assert!(matches!(writers.append_under(other, grant).await, Err(AppendError::Fenced)));
}

// STORE-9
#[tokio::test]
async fn a_grant_of_no_fence_is_refused_and_a_conflict_under_a_good_one_is_a_conflict() {
    let database = database("none").await;
    let writers = one_writer(&database.pool);
    let nowhere = Grant { fence: 99, epoch: 1 };
    let grant = raise(&database.pool, 1).await;
    for count in COUNTS {
        let outcome = writers.append_under(append(new_stream(), 0, count), nowhere).await;
        assert!(matches!(outcome, Err(AppendError::Fenced)), "{outcome:?}");
        let outcome = writers.append_under(append(new_stream(), 5, count), grant).await;
        assert!(matches!(outcome, Err(AppendError::Conflict { expected: 5, actual: 0 })), "{outcome:?}");
    }
}

// STORE-9
#[tokio::test]
async fn a_grant_that_is_held_stays_good_until_the_transaction_ends() {
    let database = database("held").await;
    let pool = &database.pool;
    let grant = raise(pool, 5).await;
    let mut transaction = pool.begin().await.expect("a transaction");
    assert!(fence::hold(&mut *transaction, grant).await.expect("asked"));
    let raising = tokio::spawn({
        let pool = pool.clone();
        async move { raise(&pool, 5).await }
    });
    a_backend_waits_for_a_lock(pool).await;
    append_in(&mut transaction, &append(new_stream(), 0, 1)).await.expect("written");
    transaction.commit().await.expect("committed");
    raising.await.expect("no panic");
    assert!(!fence::hold(pool, grant).await.expect("asked"));
}
