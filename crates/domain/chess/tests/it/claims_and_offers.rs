//! Draw offers, resigning, and the order of commands.

use domain_chess::{Color, EndReason, Event, Outcome, Refusal, RuleSet};

use crate::given::{city, fide, game};

const AGREED: Option<(Outcome, EndReason)> = Some((Outcome::Draw, EndReason::Agreement));

#[test]
fn an_offer_outlives_the_offerers_own_move_and_lapses_with_the_opponents() {
    // C01
    let mut given = city();
    given.offer(Color::White).expect("an offer");
    given.play("e2e4");
    given.accept(Color::Black).expect("still open");
    assert_eq!(given.end(), AGREED);

    let mut given = city();
    given.offer(Color::White).expect("an offer");
    given.play_all("e2e4 e7e5");
    assert_eq!(given.game.draw_offer(), None);
    assert_eq!(given.accept(Color::Black), Err(Refusal::NoDrawOffer));
}

#[test]
fn an_offer_cannot_be_taken_back() {
    // C02
    let mut given = city();
    given.offer(Color::White).expect("an offer");
    assert_eq!(given.decline(Color::White), Err(Refusal::OwnDrawOffer));
    assert_eq!(given.accept(Color::White), Err(Refusal::OwnDrawOffer));
    given.after_ms(1_000).accept(Color::Black).expect("still open");
    assert_eq!(given.end(), AGREED);
}

#[test]
fn crossing_offers_agree() {
    let mut given = city();
    given.offer(Color::White).expect("an offer");
    given.offer(Color::Black).expect("agreement");
    assert_eq!(given.end(), AGREED);
}

#[test]
fn a_declined_offer_is_gone() {
    let mut given = city();
    given.offer(Color::Black).expect("offers are allowed on either turn");
    let events = given.decline(Color::White).expect("an answer");
    assert_eq!(events, vec![Event::DrawDeclined { by: Color::White, at_ms: 1_000 }]);
    assert_eq!(given.accept(Color::White), Err(Refusal::NoDrawOffer));
    assert_eq!(given.decline(Color::White), Err(Refusal::NoDrawOffer));
}

#[test]
fn in_a_city_each_player_has_three_offers() {
    let mut given = city();
    for _ in 0..3 {
        given.offer(Color::White).expect("one of three");
        given.decline(Color::Black).expect("declined");
    }
    assert_eq!(given.offer(Color::White), Err(Refusal::DrawOfferLimit));
    assert_eq!(given.game.draw_offers_made(Color::White), 3);
    given.offer(Color::Black).expect("the other's are his own");
    // Agreeing by a crossing offer is not one more offer.
    given.offer(Color::White).expect("agreement");
    assert_eq!(given.end(), AGREED);
}

#[test]
fn at_a_table_offers_begin_after_ones_first_move_and_wait_five_own_moves() {
    let mut given = game(RuleSet::table(), None);
    assert_eq!(given.offer(Color::White), Err(Refusal::DrawOfferTooSoon { own_moves_left: 1 }));
    given.play("e2e4");
    given.offer(Color::White).expect("also on the opponent's turn");
    assert_eq!(given.game.draw_offer(), Some(Color::White));
    given.play("e7e5");
    for (index, (white, black)) in
        [("a2a3", "a7a6"), ("b2b3", "b7b6"), ("c2c3", "c7c6"), ("d2d3", "d7d6")].into_iter().enumerate()
    {
        let own_moves_left = 5 - u32::try_from(index).expect("small");
        assert_eq!(given.offer(Color::White), Err(Refusal::DrawOfferTooSoon { own_moves_left }));
        given.play(white);
        given.play(black);
    }
    given.play("h2h3");
    given.offer(Color::White).expect("five own moves later");
}

#[test]
fn elsewhere_offers_have_no_limit_but_one_is_open_at_a_time() {
    let mut given = fide();
    for _ in 0..10 {
        given.offer(Color::White).expect("no limit");
        assert_eq!(given.offer(Color::White), Err(Refusal::DrawOfferOpen));
        given.decline(Color::Black).expect("declined");
    }
}

#[test]
fn nothing_goes_on_after_a_resignation() {
    // C09
    let mut given = city();
    given.play("e2e4");
    given.resign(Color::White).expect("on either turn");
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Resignation)));
    let late = given.a_move(Color::Black, "e7e5", 2).expect("a move");
    assert_eq!(given.after_ms(1).attempt(late), Err(Refusal::GameOver));
    assert_eq!(given.resign(Color::Black), Err(Refusal::GameOver));
    assert_eq!(given.resign(Color::White), Err(Refusal::GameOver));
    assert_eq!(given.offer(Color::White), Err(Refusal::GameOver));
    assert_eq!(given.game.ply(), 1);
}

#[test]
fn nothing_happens_before_a_game_has_begun_and_it_begins_once() {
    let idle = domain_chess::Game::new();
    let resign = domain_chess::Command::Resign { by: Color::White, now_ms: 0 };
    assert_eq!(domain_chess::decide(&idle, &resign), Err(Refusal::NotStarted));
    let mut given = city();
    let again = domain_chess::Command::Start(Box::new(crate::given::start(
        RuleSet::city(),
        Some(crate::given::BLITZ),
    )));
    assert_eq!(given.attempt(again), Err(Refusal::AlreadyStarted));
}
