//! Several settlements in one transaction.

use event_bus::{HandleError, Handler, Message};
use proto::game::v1::GameResult;
use sqlx::PgPool;
use uuid::Uuid;
use wallet::bench::{Plan, settlement_rates};
use wallet::bus::games::GameHandler;

use crate::support::{Match, assert_clean, balance, database, sign_up};

/// Hands messages to the handler together, the way the bus does.
async fn deliver_together(pool: &PgPool, messages: &[Message]) -> Vec<Result<(), HandleError>> {
    let mut tx = pool.begin().await.expect("the database answers");
    let messages: Vec<&Message> = messages.iter().collect();
    let answers = GameHandler.handle_batch(&mut tx, &messages).await.expect("the batch goes through");
    tx.commit().await.expect("committed");
    answers
}

async fn players(pool: &PgPool, count: usize) -> Vec<Uuid> {
    let mut players = Vec::new();
    for _ in 0..count {
        players.push(sign_up(pool, 10_000).await);
    }
    players
}

#[tokio::test]
async fn a_batch_settles_each_match_as_if_it_were_alone() {
    // WALLET-11, F09: some stakes are odd, and every player is in many of the matches.
    let (pool, alone) = (database().await, database().await);
    let mut totals = Vec::new();
    for (pool, together) in [(&pool, true), (&alone, false)] {
        let players = players(pool, 5).await;
        let mut played = Vec::new();
        for at in 0..60_usize {
            let (white, black) = (players[at % 5], players[(at % 5 + 1 + at / 5 % 4) % 5]);
            let one = Match::new(white, black, 1 + 7 * at as i64);
            one.request(pool).await.expect("held");
            played.push(one);
        }
        let ends: Vec<Message> = played
            .iter()
            .enumerate()
            .map(|(at, one)| match at % 4 {
                0 => one.end_message(GameResult::WhiteWins),
                1 => one.end_message(GameResult::BlackWins),
                2 => one.end_message(GameResult::Draw),
                _ => one.abort_message(),
            })
            .collect();
        if together {
            for answer in deliver_together(pool, &ends).await {
                answer.expect("settled");
            }
        } else {
            for end in &ends {
                crate::support::deliver(pool, &GameHandler, end).await.expect("settled");
            }
        }
        let report = assert_clean(pool).await;
        assert_eq!(report.totals.open_holds, 0);
        let mut standing = Vec::new();
        for player in players {
            standing.push(balance(pool, player).await);
        }
        totals.push(standing);
    }
    assert_eq!(totals[0], totals[1]);
}

#[tokio::test]
async fn what_is_refused_in_a_batch_changes_nothing_and_fails_no_other() {
    let pool = database().await;
    let players = players(&pool, 2).await;
    let new = || Match::new(players[0], players[1], 100);
    let (good, paid_before, never_held, cancelled, twice) = (new(), new(), new(), new(), new());
    for one in [&good, &paid_before, &cancelled, &twice] {
        one.request(&pool).await.expect("held");
    }
    paid_before.end(&pool, GameResult::WhiteWins).await.expect("paid");
    cancelled.cancel(&pool).await.expect("refunded");
    let mut damaged = good.end_message(GameResult::WhiteWins);
    damaged.data = vec![0xff];
    let mut irrelevant = good.end_message(GameResult::Draw);
    irrelevant.kind = "GameStarted".to_owned();
    let answers = deliver_together(
        &pool,
        &[
            damaged,
            irrelevant,
            never_held.end_message(GameResult::Draw),
            cancelled.end_message(GameResult::WhiteWins),
            paid_before.end_message(GameResult::WhiteWins),
            // Two ends of one match that contradict each other: the first one counts.
            twice.end_message(GameResult::WhiteWins),
            twice.end_message(GameResult::BlackWins),
            good.end_message(GameResult::WhiteWins),
        ],
    )
    .await;
    assert!(matches!(answers[0], Err(HandleError::Permanent(_))));
    assert_eq!(answers[1], Ok(()));
    assert!(matches!(answers[2], Err(HandleError::Transient(_))));
    assert!(matches!(answers[3], Err(HandleError::Permanent(_))));
    assert_eq!((&answers[4], &answers[5]), (&Ok(()), &Ok(())));
    assert!(matches!(answers[6], Err(HandleError::Permanent(_))));
    assert_eq!(answers[7], Ok(()));
    // Three times won: 90 more and 100 less each time.
    assert_eq!(balance(&pool, players[0]).await, (10_270, 0));
    assert_eq!(balance(&pool, players[1]).await, (9_700, 0));
    assert_eq!(assert_clean(&pool).await.totals.open_holds, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_at_once_over_the_same_players_never_block_each_other_for_good() {
    // WALLET-5, and the benchmark's own preparation on a small scale.
    let pool = database().await;
    let plan = Plan { players: 10, batched: 1_000, single: 100, single_workers: 8 };
    settlement_rates(&pool, plan).await.expect("everything is settled");
    let report = assert_clean(&pool).await;
    assert_eq!((report.totals.open_holds, report.totals.events), (0, 10 * 2 + 1_100 * 2));
}
