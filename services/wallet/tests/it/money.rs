//! A match's money, event by event.

use std::time::Duration;

use event_bus::HandleError;
use proto::game::v1::GameResult;
use proto::wallet::v1::RefusalReason;
use time::OffsetDateTime;
use uuid::Uuid;
use wallet::bus::games::GameHandler;
use wallet::bus::matches::MatchHandler;
use wallet::store::statement::{self, LineRow};

use crate::support::{Match, assert_clean, balance, database, deliver, matches, sign_up};

const DEPOSIT: i16 = 1;
const HOLD: i16 = 2;
const PAYOUT: i16 = 3;
const REFUND: i16 = 4;

/// What is compared of a statement line: kind, available and held change, available afterwards, fee.
type Figures = (i16, i64, i64, i64, Option<i64>);

async fn statement_of(pool: &sqlx::PgPool, player: Uuid) -> Vec<LineRow> {
    statement::page(pool, player, &statement::Filter::default(), i64::MAX, 100)
        .await
        .expect("the database answers")
}

fn figures(lines: &[LineRow]) -> Vec<Figures> {
    lines
        .iter()
        .map(|line| {
            let (available, held) = (line.available_change, line.held_change);
            (line.kind, available, held, line.available_after, line.fee)
        })
        .collect()
}

#[tokio::test]
async fn the_winner_gets_the_pot_less_the_fee_and_both_statements_say_so() {
    // F09: stakes 333, fee 2.5 %.
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await);
    let played = Match { fee_basis_points: 250, ..Match::new(white, black, 333) };
    played.request(&pool).await.expect("held");
    assert_eq!(balance(&pool, white).await, (667, 333));
    assert_eq!(balance(&pool, black).await, (667, 333));
    played.end(&pool, GameResult::BlackWins).await.expect("paid");
    assert_eq!(balance(&pool, white).await, (667, 0));
    assert_eq!(balance(&pool, black).await, (1_317, 0));

    let winner = statement_of(&pool, black).await;
    let expected: [Figures; 3] = [
        (PAYOUT, 650, -333, 1_317, Some(16)),
        (HOLD, -333, 333, 667, None),
        (DEPOSIT, 1_000, 0, 1_000, None),
    ];
    assert_eq!(figures(&winner), expected);
    assert_eq!(winner[0].game_id, Some(played.game_id));
    assert_eq!(winner[0].match_id, Some(played.match_id));
    assert_eq!(winner[2].game_id, None);
    let loser = statement_of(&pool, white).await;
    let expected: [Figures; 3] =
        [(PAYOUT, 0, -333, 667, None), (HOLD, -333, 333, 667, None), (DEPOSIT, 1_000, 0, 1_000, None)];
    assert_eq!(figures(&loser), expected);
    let report = assert_clean(&pool).await;
    assert_eq!(report.totals.open_holds, 0);
}

#[tokio::test]
async fn a_pot_of_two_pays_no_fee() {
    // F09: stakes 1, fee 5 %.
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 1).await, sign_up(&pool, 1).await);
    let played = Match::new(white, black, 1);
    played.request(&pool).await.expect("held");
    played.end(&pool, GameResult::WhiteWins).await.expect("paid");
    assert_eq!(balance(&pool, white).await, (2, 0));
    assert_eq!(statement_of(&pool, white).await[0].fee, Some(0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_draw_and_an_abort_give_both_stakes_back_in_full() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let drawn = Match::new(white, black, 101);
    drawn.request(&pool).await.expect("held");
    drawn.end(&pool, GameResult::Draw).await.expect("refunded");
    let aborted = Match::new(black, white, 99);
    aborted.request(&pool).await.expect("held");
    aborted.abort(&pool).await.expect("refunded");
    for player in [white, black] {
        assert_eq!(balance(&pool, player).await, (500, 0));
        let lines = figures(&statement_of(&pool, player).await);
        assert_eq!(lines[0], (REFUND, 99, -99, 500, None));
        assert_eq!(lines[2], (REFUND, 101, -101, 500, None));
    }
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_refund_or_payout_told_three_times_moves_money_once() {
    // F01, F04, D12's sibling for money
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let cancelled = Match::new(white, black, 100);
    cancelled.request(&pool).await.expect("held");
    let paid = Match::new(white, black, 100);
    paid.request(&pool).await.expect("held");
    for _ in 0..3 {
        cancelled.cancel(&pool).await.expect("refunded, or was");
        paid.end(&pool, GameResult::WhiteWins).await.expect("paid, or was");
    }
    assert_eq!(balance(&pool, white).await, (590, 0));
    assert_eq!(balance(&pool, black).await, (400, 0));
    assert_eq!(cancelled.events(&pool).await, ["StakesHeld", "StakesRefunded"]);
    assert_eq!(paid.events(&pool).await, ["StakesHeld", "PotPaid"]);
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_settlement_is_final_and_what_contradicts_it_waits_for_a_person() {
    // F04, F24, WALLET-3
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let cancelled = Match::new(white, black, 100);
    cancelled.request(&pool).await.expect("held");
    cancelled.cancel(&pool).await.expect("refunded");
    let paid = Match::new(white, black, 100);
    paid.request(&pool).await.expect("held");
    paid.end(&pool, GameResult::WhiteWins).await.expect("paid");
    let answers = [
        cancelled.end(&pool, GameResult::WhiteWins).await,
        cancelled.abort(&pool).await,
        paid.end(&pool, GameResult::BlackWins).await,
        paid.end(&pool, GameResult::Draw).await,
        paid.abort(&pool).await,
        paid.cancel(&pool).await,
    ];
    for answer in answers {
        assert!(matches!(answer, Err(HandleError::Permanent(_))), "{answer:?}");
    }
    assert_eq!(balance(&pool, white).await, (590, 0));
    assert_eq!(balance(&pool, black).await, (400, 0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_game_that_ends_after_an_hour_is_paid_because_no_hold_runs_out() {
    // F24
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let played = Match::new(white, black, 100);
    let mut request = played.request_message();
    request.recorded_at = OffsetDateTime::now_utc() - Duration::from_secs(3_600);
    deliver(&pool, &matches(), &request).await.expect("held");
    let mut end = played.end_message(GameResult::WhiteWins);
    end.recorded_at = OffsetDateTime::now_utc() + Duration::from_secs(3_600);
    deliver(&pool, &GameHandler, &end).await.expect("paid");
    assert_eq!(balance(&pool, white).await, (590, 0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn the_same_match_with_another_stake_is_refused_and_nothing_changes() {
    // F11, WALLET-2
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let asked = Match::new(white, black, 100);
    asked.request(&pool).await.expect("held");
    let again = Match { stake: 200, ..asked.clone() };
    let answer = again.request(&pool).await;
    assert!(matches!(answer, Err(HandleError::Permanent(_))), "{answer:?}");
    asked.request(&pool).await.expect("the first answer");
    assert_eq!(balance(&pool, white).await, (400, 100));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_refusal_stays_even_when_the_money_is_there_later() {
    // F11, WALLET-2
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 99).await);
    let poor = Match::new(white, black, 100);
    poor.request(&pool).await.expect("refused");
    let refusal = poor.refusal(&pool).await;
    assert_eq!(refusal.reason(), RefusalReason::InsufficientFunds);
    assert_eq!(refusal.player_id, black.to_string());
    assert_eq!(balance(&pool, white).await, (500, 0));

    let won = Match::new(black, white, 50);
    won.request(&pool).await.expect("held");
    won.end(&pool, GameResult::WhiteWins).await.expect("paid");
    assert_eq!(balance(&pool, black).await, (144, 0));
    poor.request(&pool).await.expect("the first answer");
    assert_eq!(poor.events(&pool).await, ["StakesRefused"]);
    poor.cancel(&pool).await.expect("nothing to undo");
    assert_eq!(poor.events(&pool).await, ["StakesRefused"]);
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_match_cancelled_before_its_request_can_never_be_held() {
    // WALLET-3
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let gone = Match::new(white, black, 100);
    gone.cancel(&pool).await.expect("noted");
    gone.request(&pool).await.expect("refused already");
    gone.cancel(&pool).await.expect("noted already");
    let refusal = gone.refusal(&pool).await;
    assert_eq!(refusal.reason(), RefusalReason::MatchCancelled);
    assert_eq!(balance(&pool, white).await, (500, 0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_stake_in_another_currency_is_not_converted() {
    // F19
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let foreign = Match { currency: "EUR".to_owned(), ..Match::new(white, black, 5) };
    foreign.request(&pool).await.expect("refused");
    let refusal = foreign.refusal(&pool).await;
    assert_eq!(refusal.reason(), RefusalReason::InsufficientFunds);
    let currencies = wallet::store::balances::list(&pool, white).await;
    let currencies = currencies.expect("the database answers");
    assert_eq!(currencies.len(), 1, "no balance in EUR appears: {currencies:?}");
    assert_clean(&pool).await;
}

#[tokio::test]
async fn terms_that_no_ledger_can_hold_are_refused_as_invalid() {
    // F14, F21
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let good = || Match::new(white, black, 100);
    let wrong = [
        Match { stake: 0, ..good() },
        Match { stake: -5, ..good() },
        Match { stake: i64::MIN, ..good() },
        Match { currency: " ".to_owned(), ..good() },
        Match { currency: "xpl".to_owned(), ..good() },
        Match { currency: String::new(), ..good() },
        Match { fee_basis_points: 10_001, ..good() },
        Match { black: white, ..good() },
    ];
    for wrong in wrong {
        wrong.request(&pool).await.expect("refused");
        let refusal = wrong.refusal(&pool).await;
        assert_eq!(refusal.reason(), RefusalReason::Invalid, "{wrong:?}");
    }
    let missing = good();
    let mut message = missing.request_message();
    let mut request = missing.requested();
    request.stake = None;
    message.data = prost::Message::encode_to_vec(&request);
    deliver(&pool, &matches(), &message).await.expect("refused");
    assert_eq!(missing.refusal(&pool).await.reason(), RefusalReason::Invalid);
    assert_eq!(balance(&pool, white).await, (500, 0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_game_that_ends_before_the_hold_is_known_is_settled_once_it_is() {
    // Two streams may overtake each other.
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let played = Match::new(white, black, 100);
    let early = played.end(&pool, GameResult::WhiteWins).await;
    assert!(matches!(early, Err(HandleError::Transient(_))), "{early:?}");
    assert!(played.events(&pool).await.is_empty());
    played.request(&pool).await.expect("held");
    played.end(&pool, GameResult::WhiteWins).await.expect("paid");
    assert_eq!(balance(&pool, white).await, (590, 0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn stakes_of_somebody_who_has_just_signed_up_wait_for_his_account() {
    let pool = database().await;
    let (white, newcomer) = (sign_up(&pool, 500).await, Uuid::now_v7());
    let asked = Match::new(white, newcomer, 100);
    let patient = MatchHandler::new(Duration::from_secs(30), OffsetDateTime::UNIX_EPOCH);
    let early = deliver(&pool, &patient, &asked.request_message()).await;
    assert!(matches!(early, Err(HandleError::Unavailable(_))), "{early:?}");
    assert!(asked.events(&pool).await.is_empty());
    let mut late = asked.request_message();
    late.recorded_at = OffsetDateTime::now_utc() - Duration::from_secs(31);
    deliver(&pool, &patient, &late).await.expect("refused");
    let refusal = asked.refusal(&pool).await;
    assert_eq!(refusal.player_id, newcomer.to_string());
    // After a start the patience begins anew: the sign-ups of meanwhile arrive at the same time.
    let restarted = MatchHandler::new(Duration::from_secs(30), OffsetDateTime::now_utc());
    let other = Match::new(white, Uuid::now_v7(), 100);
    let mut late = other.request_message();
    late.recorded_at = OffsetDateTime::now_utc() - Duration::from_secs(31);
    let answer = deliver(&pool, &restarted, &late).await;
    assert!(matches!(answer, Err(HandleError::Unavailable(_))), "{answer:?}");
}

#[tokio::test]
async fn events_that_cannot_be_are_faults_and_games_for_nothing_are_none() {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let played = Match::new(white, black, 100);
    played.request(&pool).await.expect("held");
    let no_result = played.end(&pool, GameResult::Unspecified).await;
    let stranger = Match { white: Uuid::now_v7(), ..played.clone() };
    let stranger_wins = stranger.end(&pool, GameResult::WhiteWins).await;
    let other_game = Match { game_id: Uuid::now_v7(), ..played.clone() };
    let other_game_ends = other_game.end(&pool, GameResult::WhiteWins).await;
    let mut foreign_stream = played.cancel_message();
    foreign_stream.stream_id = Uuid::now_v7();
    let foreign = deliver(&pool, &matches(), &foreign_stream).await;
    for answer in [no_result, stranger_wins, other_game_ends, foreign] {
        assert!(matches!(answer, Err(HandleError::Permanent(_))), "{answer:?}");
    }
    let mut friendly = played.end_message(GameResult::WhiteWins);
    let mut ended = played.ended(GameResult::WhiteWins);
    ended.match_id = String::new();
    friendly.data = prost::Message::encode_to_vec(&ended);
    deliver(&pool, &GameHandler, &friendly).await.expect("ignored");
    assert_eq!(balance(&pool, white).await, (400, 100));
    assert_eq!(assert_clean(&pool).await.totals.open_holds, 1);
}
