//! Request ids: one id, one answer (GAME-4).

use domain_chess::EndReason;

use super::*;

#[tokio::test]
async fn the_same_request_gets_the_first_answer_three_times_over() {
    let stand = Stand::new();
    let act = stand.act(&stand.facts.white, Uuid::new_v4(), play("e2e4", 0));
    let first = stand.games.act(act).await.expect("a good move");
    for _ in 0..2 {
        stand.clock.advance(700);
        let again = Act { received_at_ms: stand.games.now_ms(), ..act };
        assert_eq!(stand.games.act(again).await.expect("the first answer"), first);
    }
    assert_eq!(stand.journal.entries(&stand.facts).len(), 2);
}

#[tokio::test]
async fn the_first_answer_survives_a_restart_and_the_end_of_the_game() {
    let stand = Stand::new();
    let act = stand.act(&stand.facts.white, Uuid::new_v4(), play("e2e4", 0));
    let first = stand.games.act(act).await.expect("a good move");
    let stand = stand.restarted().await;
    assert_eq!(stand.games.act(act).await.expect("from the log"), first);
    let resign = stand.act(&stand.facts.black, Uuid::new_v4(), Action::Resign);
    let resigned = stand.games.act(resign).await.expect("resigning is always possible");
    assert_eq!(resigned.ended.map(|ended| ended.reason), Some(EndReason::Resignation));
    assert_eq!(stand.games.act(act).await.expect("after the end"), first);
    assert_eq!(stand.games.act(resign).await.expect("after the end"), resigned);
    let stand = stand.restarted().await;
    assert_eq!(stand.games.act(resign).await.expect("after end and restart"), resigned);
}

#[tokio::test]
async fn the_same_id_with_another_body_is_refused_before_and_after_a_restart() {
    let stand = Stand::new();
    let request_id = Uuid::new_v4();
    stand.games.act(stand.act(&stand.facts.white, request_id, play("e2e4", 0))).await.expect("a good move");
    let others = [play("d2d4", 0), play("e2e4", 1), Action::Resign, Action::OfferDraw];
    for other in others {
        let refused = stand.games.act(stand.act(&stand.facts.white, request_id, other)).await;
        assert!(
            matches!(refused, Err(ActError::Refused(Refused::RequestIdReused))),
            "{other:?}: {refused:?}"
        );
    }
    let stand = stand.restarted().await;
    for other in others {
        let refused = stand.games.act(stand.act(&stand.facts.white, request_id, other)).await;
        assert!(
            matches!(refused, Err(ActError::Refused(Refused::RequestIdReused))),
            "{other:?}: {refused:?}"
        );
    }
    assert_eq!(stand.journal.entries(&stand.facts).len(), 3, "the move and the resumption");
}

/// A move in the log says itself what was asked for; what else it may be taken for is refused (GAME-4), in a game that is over too.
#[tokio::test]
async fn the_same_id_with_another_body_is_refused_after_the_end() {
    // Given a game that a move has ended.
    let stand = Stand::new();
    stand.play("f2f3 e7e5 g2g4").await;
    let mate = stand.act(&stand.facts.black, Uuid::new_v4(), play("d8h4", 3));
    let mated = stand.games.act(mate).await.expect("mate");
    assert_eq!(mated.ended.map(|ended| ended.reason), Some(EndReason::Checkmate));
    let stand = stand.restarted().await;
    // Then the move is answered as before, and everything else under its id is refused.
    assert_eq!(stand.games.act(mate).await.expect("the first answer"), mated);
    for other in [play("d8e7", 3), play("d8h4", 1), play("d8h4", 5), Action::Resign, Action::LeaveTable] {
        let refused = stand.games.act(Act { action: other, ..mate }).await;
        assert!(
            matches!(refused, Err(ActError::Refused(Refused::RequestIdReused))),
            "{other:?}: {refused:?}"
        );
    }
}

/// The other way round: under the id of what was no move, a move is refused.
#[tokio::test]
async fn a_move_with_the_id_of_another_request_is_refused() {
    let stand = Stand::new();
    stand.play("e2e4").await;
    let request_id = Uuid::new_v4();
    stand.games.act(stand.act(&stand.facts.black, request_id, Action::OfferDraw)).await.expect("an offer");
    let stand = stand.restarted().await;
    let played = stand.games.act(stand.act(&stand.facts.black, request_id, play("e7e5", 1))).await;
    assert!(matches!(played, Err(ActError::Refused(Refused::RequestIdReused))), "{played:?}");
}

/// A request that was refused and comes again with another body stays refused for its id.
#[tokio::test]
async fn the_id_of_a_refused_request_is_not_good_for_another() {
    let stand = Stand::new();
    let request_id = Uuid::new_v4();
    let illegal = stand.games.act(stand.act(&stand.facts.white, request_id, play("e2e5", 0))).await;
    assert!(matches!(illegal, Err(ActError::Refused(Refused::IllegalMove { .. }))), "{illegal:?}");
    for other in [play("e2e4", 0), play("e2e5", 1), Action::OfferDraw] {
        let refused = stand.games.act(stand.act(&stand.facts.white, request_id, other)).await;
        assert!(
            matches!(refused, Err(ActError::Refused(Refused::RequestIdReused))),
            "{other:?}: {refused:?}"
        );
    }
    assert_eq!(stand.journal.entries(&stand.facts).len(), 1);
}

/// Moves of a log from when they had the fingerprints of their requests as ids.
#[tokio::test]
async fn a_move_of_an_older_log_answers_its_request_and_refuses_others() {
    let stand = Stand::new();
    let act = stand.act(&stand.facts.white, Uuid::new_v4(), play("e2e4", 0));
    let first = stand.games.act(act).await.expect("a good move");
    stand.journal.give_ids(&stand.facts);
    let stand = stand.restarted().await;
    assert_eq!(stand.games.act(act).await.expect("the first answer"), first);
    let other = stand.games.act(Act { action: play("d2d4", 0), ..act }).await;
    assert!(matches!(other, Err(ActError::Refused(Refused::RequestIdReused))), "{other:?}");
}

/// A crossing offer and an acceptance lead to the same event, yet they are different requests.
#[tokio::test]
async fn a_crossing_offer_is_not_taken_for_an_acceptance() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5").await;
    stand.white(Action::OfferDraw).await.expect("an offer");
    let request_id = Uuid::new_v4();
    let crossing = stand.act(&stand.facts.black, request_id, Action::OfferDraw);
    let agreed = stand.games.act(crossing).await.expect("crossing offers agree");
    assert_eq!(agreed.ended.map(|ended| ended.reason), Some(EndReason::Agreement));
    assert_eq!(stand.games.act(crossing).await.expect("the first answer"), agreed);
    let accept = stand.games.act(stand.act(&stand.facts.black, request_id, Action::AcceptDraw)).await;
    assert!(matches!(accept, Err(ActError::Refused(Refused::RequestIdReused))), "{accept:?}");
}

#[tokio::test]
async fn two_players_may_use_the_same_request_id() {
    let stand = Stand::new();
    let request_id = Uuid::new_v4();
    stand.games.act(stand.act(&stand.facts.white, request_id, play("e2e4", 0))).await.expect("White's");
    stand.games.act(stand.act(&stand.facts.black, request_id, play("e7e5", 1))).await.expect("Black's");
}

#[tokio::test]
async fn the_events_of_two_games_never_share_an_id_even_if_the_requests_do() {
    let (one, two) = (Stand::new(), Stand::new());
    let request_id = Uuid::new_v4();
    for stand in [&one, &two] {
        let act = stand.act(&one.facts.white, request_id, Action::Resign);
        let act = Act { player_id: stand.facts.white.player_id, ..act };
        stand.games.act(act).await.expect("resigned");
    }
    let ids = |stand: &Stand| stand.journal.entries(&stand.facts).last().map(|entry| entry.event_id);
    assert_ne!(ids(&one), ids(&two));
}

/// A packet that comes twice must not accept the next offer.
#[tokio::test]
async fn a_refused_request_is_refused_again_though_it_would_now_be_allowed() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5").await;
    let accept = stand.act(&stand.facts.black, Uuid::new_v4(), Action::AcceptDraw);
    let refused = stand.games.act(accept).await;
    assert!(matches!(refused, Err(ActError::Refused(Refused::ByRule(_)))), "{refused:?}");
    stand.white(Action::OfferDraw).await.expect("an offer");
    let again = stand.games.act(accept).await;
    assert!(matches!(again, Err(ActError::Refused(Refused::ByRule(_)))), "{again:?}");
    stand.black(Action::AcceptDraw).await.expect("a new request accepts");
}

#[tokio::test]
async fn a_stranger_is_refused_in_a_live_game_and_in_an_ended_one() {
    let stand = Stand::new();
    let stranger = Seat { player_id: PlayerId(Uuid::new_v4()), name: "Eve".to_owned() };
    let act = stand.act(&stranger, Uuid::new_v4(), Action::Resign);
    let refused = stand.games.act(act).await;
    assert!(matches!(refused, Err(ActError::Refused(Refused::NotAPlayer))), "{refused:?}");
    stand.white(Action::Resign).await.expect("a player may");
    let refused = stand.games.act(act).await;
    assert!(matches!(refused, Err(ActError::Refused(Refused::NotAPlayer))), "{refused:?}");
}
