//! Pairs of persons, whatever accounts they play with.

use fairplay::app::persons::{self, Word};
use sqlx::PgPool;
use tokio::task::JoinSet;
use uuid::Uuid;

use event_bus::HandleError;
use fairplay::bus::MatchEvents;

use crate::pairs::{propose, refused, reserved};
use crate::support::events::{AFTER_MIDNIGHT_MS, BEFORE_MIDNIGHT_MS, Match};
use crate::support::{database, deliver, event_counts, events_of};

fn word() -> Word {
    Word { said_by: Uuid::now_v7(), reason: "one passport".to_owned() }
}

async fn link(pool: &PgPool, one: Uuid, other: Uuid) {
    persons::link(pool, [one, other], &word()).await.expect("linked");
}

/// Two accounts of one person, and somebody else.
fn three() -> [Uuid; 3] {
    [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()]
}

#[tokio::test]
async fn two_accounts_of_one_person_count_as_one() {
    // E14, FAIR-11
    let database = database().await;
    let pool = &database.pool;
    let [first, second, opponent] = three();
    link(pool, first, second).await;
    for index in 0..6 {
        let account = if index % 2 == 0 { first } else { second };
        assert_eq!(propose(pool, &Match::new(account, opponent), BEFORE_MIDNIGHT_MS).await, reserved());
    }
    for account in [first, second] {
        assert_eq!(propose(pool, &Match::new(opponent, account), BEFORE_MIDNIGHT_MS).await, refused());
        assert_eq!(propose(pool, &Match::new(account, Uuid::now_v7()), BEFORE_MIDNIGHT_MS).await, reserved());
    }
    assert_eq!(propose(pool, &Match::new(second, opponent), AFTER_MIDNIGHT_MS).await, reserved());
}

#[tokio::test]
async fn accounts_that_are_linked_in_the_middle_of_a_day_bring_what_they_have_played() {
    // E14
    let database = database().await;
    let pool = &database.pool;
    let [first, second, opponent] = three();
    for account in [first, second, second, first] {
        assert_eq!(propose(pool, &Match::new(account, opponent), BEFORE_MIDNIGHT_MS).await, reserved());
    }
    // A third account joins those two, which had joined each other.
    let third = Uuid::now_v7();
    link(pool, second, first).await;
    link(pool, third, first).await;
    let pairing = Match::new(third, opponent);
    assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(first, opponent), BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(second, opponent), BEFORE_MIDNIGHT_MS).await, refused());
    // A place that comes back is anybody's of them.
    deliver(pool, &MatchEvents, &pairing.cancelled().message()).await.expect("handled");
    assert_eq!(propose(pool, &Match::new(second, opponent), BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(third, opponent), BEFORE_MIDNIGHT_MS).await, refused());
}

#[tokio::test]
async fn a_person_does_not_meet_himself() {
    let database = database().await;
    let pool = &database.pool;
    let [first, second, opponent] = three();
    link(pool, first, second).await;
    let pairing = Match::new(first, second);
    assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, refused());
    // The answer stays the same, and a match without a place can be given up.
    assert_eq!(propose(pool, &pairing, BEFORE_MIDNIGHT_MS).await, refused());
    deliver(pool, &MatchEvents, &pairing.cancelled().message()).await.expect("handled");
    let rest = persons::unlink(pool, second, &word()).await.expect("unlinked");
    assert_eq!(rest, [first]);
    assert_eq!(propose(pool, &Match::new(first, second), BEFORE_MIDNIGHT_MS).await, reserved());
    assert_eq!(propose(pool, &Match::new(second, opponent), BEFORE_MIDNIGHT_MS).await, reserved());
}

#[tokio::test]
async fn who_is_who_is_told_to_every_account_concerned_and_once() {
    let database = database().await;
    let pool = &database.pool;
    let [first, second, third] = three();
    link(pool, second, first).await;
    link(pool, first, second).await;
    for account in [first, second] {
        assert_eq!(events_of(pool, account).await, ["PersonLinked"]);
    }
    let person = persons::link(pool, [third, second], &word()).await.expect("linked");
    assert_eq!((person.person_id, person.accounts), (first, vec![first, second, third]));
    assert_eq!(events_of(pool, third).await, ["PersonLinked"]);
    assert_eq!(events_of(pool, first).await, ["PersonLinked"]);
    // He who gave the person his name leaves: the others get another one.
    persons::unlink(pool, first, &word()).await.expect("unlinked");
    assert_eq!(events_of(pool, first).await, ["PersonLinked", "PersonUnlinked"]);
    for account in [second, third] {
        assert_eq!(events_of(pool, account).await, ["PersonLinked", "PersonLinked"]);
    }
    assert!(persons::unlink(pool, first, &word()).await.expect("nothing to do").is_empty());
    assert_eq!(events_of(pool, first).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_concurrent_proposals_of_many_accounts_give_exactly_six() {
    // E14, FAIR-11: and the accounts are linked while the proposals are on their way.
    let database = database().await;
    let accounts: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
    let others: Vec<Uuid> = (0..2).map(|_| Uuid::now_v7()).collect();
    for pair in accounts.windows(2) {
        link(&database.pool, pair[0], pair[1]).await;
    }
    let mut proposals = JoinSet::new();
    for index in 0..200 {
        let (pool, one, other) = (database.pool.clone(), accounts[index % 4], others[index % 2]);
        let pairing = if index % 3 == 0 { Match::new(one, other) } else { Match::new(other, one) };
        proposals.spawn(async move {
            let event = pairing.proposed(BEFORE_MIDNIGHT_MS);
            while let Err(error) = deliver(&pool, &MatchEvents, &event.message()).await {
                assert!(!matches!(error, HandleError::Permanent(_)), "{error}");
            }
        });
    }
    let (pool, pair) = (database.pool.clone(), [others[0], others[1]]);
    proposals.spawn(async move { link(&pool, pair[0], pair[1]).await });
    while let Some(ended) = proposals.join_next().await {
        ended.expect("no panic");
    }
    let counts = event_counts(&database.pool).await;
    let reserved = counts.iter().find(|(kind, _)| kind == "PairingReserved").map(|(_, count)| *count);
    // Until they were linked, the two others may have had six each; whoever came after that had none left.
    assert!(reserved.is_some_and(|reserved| (6..=12).contains(&reserved)), "{counts:?}");
    let late = Match::new(accounts[2], others[1]);
    assert_eq!(propose(&database.pool, &late, BEFORE_MIDNIGHT_MS).await, refused());
}
