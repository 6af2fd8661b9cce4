//! What one instance says, another one reads as it was meant.

use domain_chess::{Clocks, Color, EndReason, Ended, Event, MovePlayed, Outcome, Refusal, parse_uci};
use proto::game::v1 as pb;
use uuid::Uuid;

use super::words::{self, Asked};
use crate::app::{
    Act, ActError, Action, Closing, Frame, GameId, JournalError, News, PlayerId, Receipt, Refused, Sign,
};

const NOW_MS: i64 = 1_760_000_000_000;

fn game_id() -> GameId {
    GameId(Uuid::now_v7())
}

fn played(clocks: Option<Clocks>) -> MovePlayed {
    MovePlayed {
        ply: 1,
        uci: parse_uci("e2e4").expect("a move"),
        san: "e4".parse().expect("a move"),
        received_at_ms: NOW_MS,
        elapsed_ms: 700,
        charged_ms: 650,
        lag_credit_ms: 50,
        clocks,
    }
}

fn ended(outcome: Outcome, clocks: Option<Clocks>) -> Ended {
    let reason = if outcome == Outcome::Aborted { EndReason::AbortedNoFirstMove } else { EndReason::Time };
    Ended { outcome, reason, at_ms: NOW_MS, clocks }
}

/// Over the wire and back.
fn carried<M: prost::Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).expect("our own bytes")
}

#[test]
fn every_action_arrives_as_it_was_and_as_long_ago() {
    let uci = parse_uci("e7e8q").expect("a move");
    for action in [
        Action::PlayMove { uci, plies_seen: 7 },
        Action::Resign,
        Action::OfferDraw,
        Action::AcceptDraw,
        Action::DeclineDraw,
        Action::ClaimDraw,
        Action::LeaveTable,
    ] {
        let act = Act {
            game_id: game_id(),
            player_id: PlayerId(Uuid::new_v4()),
            request_id: Uuid::new_v4(),
            action,
            received_at_ms: NOW_MS,
        };
        // The clock of the machine where it arrives is an hour ahead.
        let there_ms = NOW_MS + 3_600_000;
        match words::read_request(&carried(&words::act(&act, 40)), there_ms) {
            Some(Asked::Act(read)) => {
                assert_eq!(
                    (read.game_id, read.player_id, read.request_id),
                    (act.game_id, act.player_id, act.request_id)
                );
                assert_eq!((read.action, read.received_at_ms), (action, there_ms - 40));
            }
            other => panic!("{action:?} became {other:?}"),
        }
    }
}

#[test]
fn every_sign_arrives_as_it_was() {
    let stream_id = Uuid::new_v4();
    for news in [
        News::Opened { stream_id },
        News::Pinged { stream_id, nonce: u64::MAX },
        News::Ponged { nonce: 1 },
        News::Closed { stream_id, why: Closing::Left },
        News::Closed { stream_id, why: Closing::SentAway },
    ] {
        let sign = Sign { game_id: game_id(), player_id: PlayerId(Uuid::new_v4()), news, at_ms: NOW_MS };
        match words::read_request(&carried(&words::sign(&sign, 5)), NOW_MS) {
            Some(Asked::Sign(read)) => {
                assert_eq!(format!("{:?}", read.news), format!("{news:?}"));
                assert_eq!(
                    (read.game_id, read.player_id, read.at_ms),
                    (sign.game_id, sign.player_id, NOW_MS - 5)
                );
            }
            other => panic!("{news:?} became {other:?}"),
        }
    }
    let begun = game_id();
    let read = words::read_request(&carried(&words::begun(begun)), NOW_MS);
    assert!(matches!(read, Some(Asked::Begun(read)) if read == begun), "{read:?}");
}

#[test]
fn what_makes_no_sense_is_not_heard() {
    let act = Act {
        game_id: game_id(),
        player_id: PlayerId(Uuid::new_v4()),
        request_id: Uuid::new_v4(),
        action: Action::Resign,
        received_at_ms: NOW_MS,
    };
    let whole = words::act(&act, 0);
    let nothing = pb::OwnerRequest::default();
    let no_game = pb::OwnerRequest { game_id: "chess".to_owned(), ..whole.clone() };
    let nobody = pb::OwnerRequest { player_id: String::new(), ..whole.clone() };
    let no_action = pb::OwnerRequest {
        request: Some(pb::owner_request::Request::Act(pb::OwnerAct {
            request_id: act.request_id.to_string(),
            ..pb::OwnerAct::default()
        })),
        ..whole
    };
    for message in [nothing, no_game, nobody, no_action] {
        assert!(words::read_request(&message, NOW_MS).is_none(), "{message:?}");
    }
    assert!(matches!(words::read_reply(&pb::OwnerReply::default()), Err(ActError::Unreachable)));
    assert!(words::read_frame(&pb::FrameNote::default()).is_none());
}

#[test]
fn every_receipt_arrives_as_it_was() {
    for clocks in [None, Some(Clocks { white_ms: 1, black_ms: 0 })] {
        for receipt in [
            Receipt { version: 2, played: Some(played(clocks)), ended: None, offers_left: None },
            Receipt {
                version: 9,
                played: Some(played(clocks)),
                ended: Some(ended(Outcome::WhiteWins, clocks)),
                offers_left: Some(0),
            },
            Receipt {
                version: 3,
                played: None,
                ended: Some(ended(Outcome::Draw, clocks)),
                offers_left: None,
            },
            Receipt { version: 5, played: None, ended: None, offers_left: Some(2) },
        ] {
            let read = words::read_reply(&carried(&words::reply(Ok(receipt)))).expect("a receipt");
            assert_eq!(read, receipt);
        }
    }
}

#[test]
fn every_refusal_arrives_as_it_was() {
    let text = |text: &str| text.to_owned();
    let clocks = Some(Clocks { white_ms: 0, black_ms: 5 });
    let outcomes = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::Aborted];
    let over = outcomes.map(|outcome| Refused::GameOver { ended: ended(outcome, clocks) });
    let by_rule = [
        Refusal::NotYourTurn,
        Refusal::NoDrawOffer,
        Refusal::DrawOfferLimit,
        Refusal::DrawOfferTooSoon { own_moves_left: 3 },
        Refusal::DrawOfferOpen,
        Refusal::OwnDrawOffer,
        Refusal::NothingToClaim,
        Refusal::NotAllowedByRuleSet,
    ];
    let others = [
        Refused::GameUnknown,
        Refused::NotAPlayer,
        Refused::RequestIdReused,
        Refused::PlyStale { current_ply: 4, fen: text("a position"), last_uci: Some(text("e2e4")) },
        Refused::PlyStale { current_ply: 0, fen: text("the start"), last_uci: None },
        Refused::IllegalMove { uci: text("e2e5"), fen: text("a position") },
        Refused::PromotionMissing { uci: text("e7e8") },
    ];
    for refused in others.into_iter().chain(over).chain(by_rule.map(Refused::ByRule)) {
        match words::read_reply(&carried(&words::reply(Err(refused.clone().into())))) {
            Err(ActError::Refused(read)) => assert_eq!(read, refused),
            other => panic!("{refused:?} became {other:?}"),
        }
    }
}

#[test]
fn a_failure_says_whether_asking_again_is_of_use() {
    let carried_over = |error| words::read_reply(&carried(&words::reply(Err(error)))).expect_err("a failure");
    assert!(matches!(carried_over(ActError::Unreachable), ActError::Unreachable));
    assert!(matches!(carried_over(ActError::Overloaded), ActError::Overloaded));
    let unavailable = carried_over(JournalError::Unavailable("down".into()).into());
    assert!(matches!(unavailable, ActError::Journal(JournalError::Unavailable(_))));
    let faulty = carried_over(JournalError::Faulty("a secret of the database".into()).into());
    assert!(matches!(faulty, ActError::Journal(JournalError::Faulty(_))));
    // What no request of a player can lead to is a fault of ours.
    let impossible = carried_over(Refused::ByRule(Refusal::NotStarted).into());
    assert!(matches!(impossible, ActError::Journal(JournalError::Faulty(_))));
}

// GAME-16
#[test]
fn every_event_in_play_arrives_as_it_was() {
    let clocks = Some(Clocks { white_ms: 1_000, black_ms: 0 });
    let (by, at_ms) = (Color::Black, NOW_MS);
    for event in [
        Event::MovePlayed(played(clocks)),
        Event::DrawOffered { by, at_ms },
        Event::DrawDeclined { by, at_ms },
        Event::Resumed { at_ms, stood_still_ms: 5_000 },
        Event::PlayerGone { by, at_ms },
        Event::PlayerBack { by, at_ms },
        Event::Ended(ended(Outcome::BlackWins, clocks)),
        Event::Ended(ended(Outcome::Aborted, clocks)),
    ] {
        let frame =
            Frame { version: 4, event, clocks, gone_deadline_ms: Some(NOW_MS), gone_ms_max: Some(60_000) };
        let read = words::read_frame(&carried(&words::frame(&frame))).expect("a frame");
        assert_eq!(format!("{read:?}"), format!("{frame:?}"));
    }
}
