//! Many things at once.

use event_bus::HandleError;
use futures::future::join_all;
use proto::game::v1::GameResult;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Match, assert_clean, balance, database, sign_up};

#[tokio::test]
async fn six_parallel_holds_on_money_for_five_hold_five() {
    // F02
    let pool = database().await;
    let player = sign_up(&pool, 5_000).await;
    let mut asked = Vec::new();
    for _ in 0..6 {
        asked.push(Match::new(player, sign_up(&pool, 1_000).await, 1_000));
    }
    for answer in join_all(asked.iter().map(|asked| asked.request(&pool))).await {
        answer.expect("held or refused");
    }
    assert_eq!(balance(&pool, player).await, (0, 5_000));
    let mut refused = 0;
    for asked in &asked {
        if asked.events(&pool).await == ["StakesRefused"] {
            refused += 1;
            assert_eq!(asked.refusal(&pool).await.player_id, player.to_string());
        }
    }
    assert_eq!(refused, 1);
    assert_eq!(assert_clean(&pool).await.totals.open_holds, 5);
}

#[tokio::test]
async fn fifty_deliveries_of_one_end_pay_once_and_are_answered_alike() {
    // F12, G02
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let played = Match::new(white, black, 100);
    played.request(&pool).await.expect("held");
    let ends = (0..50).map(|_| played.end(&pool, GameResult::WhiteWins));
    for answer in join_all(ends).await {
        answer.expect("paid, or was");
    }
    assert_eq!(balance(&pool, white).await, (590, 0));
    assert_eq!(played.events(&pool).await, ["StakesHeld", "PotPaid"]);
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_cancel_and_an_end_at_once_settle_once_and_the_other_is_refused() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 5_000).await, sign_up(&pool, 5_000).await);
    for _ in 0..20 {
        let played = Match::new(white, black, 100);
        played.request(&pool).await.expect("held");
        let (cancel, end) = tokio::join!(played.cancel(&pool), played.end(&pool, GameResult::Draw));
        let refused = [&cancel, &end]
            .into_iter()
            .filter(|answer| matches!(answer, Err(HandleError::Permanent(_))))
            .count();
        assert_eq!(refused, 1, "{cancel:?} {end:?}");
        assert_eq!(played.events(&pool).await, ["StakesHeld", "StakesRefunded"]);
    }
    assert_eq!(balance(&pool, white).await, (5_000, 0));
    assert_clean(&pool).await;
}

/// A small generator of its own, so that a failing run is the same run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        // Knuth's MMIX constants; the upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// How a match goes on after its request.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Win,
    Draw,
    Abort,
    Cancel,
    StaysOpen,
}

async fn finish(pool: &PgPool, played: &Match, ending: Ending) -> Result<(), HandleError> {
    match ending {
        Ending::Win => played.end(pool, GameResult::BlackWins).await,
        Ending::Draw => played.end(pool, GameResult::Draw).await,
        Ending::Abort => played.abort(pool).await,
        Ending::Cancel => played.cancel(pool).await,
        Ending::StaysOpen => Ok(()),
    }
}

/// Requests, ends and repeats of one match, until each was taken or refused for good.
async fn play(pool: &PgPool, played: &Match, ending: Ending) {
    played.request(pool).await.expect("held or refused");
    let held = played.events(pool).await == ["StakesHeld"];
    let (first, second, repeat) =
        tokio::join!(finish(pool, played, ending), finish(pool, played, ending), played.request(pool));
    repeat.expect("a repeated request changes nothing");
    for answer in [first, second] {
        // A game of a match that was refused is somebody's bug, and is refused.
        let is_cancel = matches!(ending, Ending::Cancel | Ending::StaysOpen);
        match answer {
            Ok(()) => assert!(held || is_cancel, "{ending:?} of a refused match"),
            Err(HandleError::Permanent(_)) => assert!(!held),
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_matches_with_repeats_leaves_a_ledger_that_adds_up() {
    // F07, D16's sibling for money
    let pool = database().await;
    let mut players: Vec<Uuid> = Vec::new();
    for _ in 0..8 {
        players.push(sign_up(&pool, 1_000).await);
    }
    let mut dice = Dice(20_260_401);
    for _round in 0..12 {
        let mut matches = Vec::new();
        for _ in 0..16 {
            let white = dice.below(8);
            let black = (white + 1 + dice.below(7)) % 8;
            let (white, black) = (players[white as usize], players[black as usize]);
            let played = Match {
                fee_basis_points: dice.below(1_001) as u32,
                ..Match::new(white, black, 1 + dice.below(400) as i64)
            };
            let ending = match dice.below(10) {
                0..4 => Ending::Win,
                4..6 => Ending::Draw,
                6 => Ending::Abort,
                7..9 => Ending::Cancel,
                _ => Ending::StaysOpen,
            };
            matches.push((played, ending));
        }
        join_all(matches.iter().map(|(played, ending)| play(&pool, played, *ending))).await;
    }
    let report = assert_clean(&pool).await;
    assert!(report.totals.open_holds > 0, "some matches stay open");
    let held: i64 =
        sqlx::query_scalar("select coalesce(sum(amount), 0)::bigint from balances where kind = 2")
            .fetch_one(&pool)
            .await
            .expect("the database answers");
    assert!(held > 0);
}
