//! Draw offers.

use proto::{game::v1 as pb, types::v1::Color};
use tonic::Code;

use crate::harness::{Stand, reason};

// C01
#[tokio::test]
async fn an_offer_outlives_the_offerers_move_and_lapses_with_the_opponents() {
    let stand = Stand::start("offer_lapses").await;
    let caller = stand.caller();

    let first = stand.table().await;
    stand.play(&first, "e2e4 e7e5", 1_000).await;
    caller.offer(&first.white, first.game_id).await.expect("offered");
    stand.play(&first, "g1f3", 1_000).await;
    assert_eq!(caller.game(first.game_id).await.draw_offer_by(), Color::White);
    let agreed = caller.accept(&first.black, first.game_id).await.expect("accepted");
    assert_eq!((agreed.result(), agreed.end_reason()), (pb::GameResult::Draw, pb::EndReason::Agreement));

    let second = stand.table().await;
    stand.play(&second, "e2e4 e7e5", 1_000).await;
    caller.offer(&second.white, second.game_id).await.expect("offered");
    stand.play(&second, "g1f3 b8c6", 1_000).await;
    let refused = caller.accept(&second.black, second.game_id).await.expect_err("it lapsed");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "NO_DRAW_OFFER"));
    assert_eq!(caller.game(second.game_id).await.status(), pb::GameStatus::Live);
}

// C02: there is no call to take an offer back, and answering one's own does nothing.
#[tokio::test]
async fn an_offer_cannot_be_taken_back() {
    let stand = Stand::start("offer_stays").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    caller.offer(&table.white, table.game_id).await.expect("offered");
    for refused in [
        caller.decline(&table.white, table.game_id).await.map(|_| ()),
        caller.accept(&table.white, table.game_id).await.map(|_| ()),
    ] {
        assert_eq!(reason(&refused.expect_err("his own offer")), "NO_DRAW_OFFER");
    }
    let again = caller.offer(&table.white, table.game_id).await.expect_err("one at a time");
    assert_eq!(reason(&again), "DRAW_OFFER_NOT_ALLOWED");
    stand.clock.advance(1_000);
    let agreed = caller.accept(&table.black, table.game_id).await.expect("accepted");
    assert_eq!(agreed.end_reason(), pb::EndReason::Agreement);
}

#[tokio::test]
async fn a_player_has_three_offers_and_crossing_offers_agree() {
    let stand = Stand::start("three_offers").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    for left in [2, 1, 0] {
        let offered = caller.offer(&table.white, table.game_id).await.expect("offered");
        assert_eq!((offered.status(), offered.offers_left), (pb::GameStatus::Live, Some(left)));
        caller.decline(&table.black, table.game_id).await.expect("declined");
    }
    let used_up = caller.offer(&table.white, table.game_id).await.expect_err("used up");
    assert_eq!(reason(&used_up), "DRAW_OFFERS_USED_UP");
    caller.offer(&table.black, table.game_id).await.expect("Black has his own three");
    let crossing = caller.offer(&table.white, table.game_id).await.expect("agreeing is not limited");
    assert_eq!((crossing.status(), crossing.offers_left), (pb::GameStatus::Ended, Some(0)));
    assert_eq!(caller.game(table.game_id).await.end_reason(), pb::EndReason::Agreement);
}

// C04
#[tokio::test]
async fn a_draw_offered_at_the_moment_of_the_third_repetition_ends_the_game_once() {
    let stand = Stand::start("third_and_offer").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let (before_last, last) = crate::lines::L4.rsplit_once(' ').expect("more than one move");
    stand.play(&table, before_last, 1_000).await;
    caller.offer(&table.white, table.game_id).await.expect("offered");
    let (played, accepted) = tokio::join!(
        caller.play(&table.black, table.game_id, last, 7),
        caller.accept(&table.black, table.game_id)
    );
    assert!(played.is_ok() != accepted.is_ok(), "one of the two ended the game: {played:?} {accepted:?}");
    let ended = stand.ended(&table).await;
    assert_eq!(ended.result(), pb::GameResult::Draw);
    assert_eq!(stand.logged(&table, &["GameEnded"]).await, 1);
}
