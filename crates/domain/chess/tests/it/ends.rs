//! Ends that the board brings about, and what may be played.

use domain_chess::{Color, EndReason, Outcome, Refusal, RuleSet};

use crate::{
    given::{city, fide, from_fen, game},
    lists::{L5, L7, L8, L9, L10, L11, L12},
};

#[test]
fn mate_comes_before_the_counters_of_quiet_moves() {
    // A11
    for rules in [RuleSet::fide(), RuleSet::friendly()] {
        let mut given = from_fen(rules, None, "4Q3/8/1p4pk/1PbB1p1p/7P/p3P1PK/P3qP2/8 w - - 99 188");
        given.play("e8h8");
        assert_eq!(given.game.halfmoves(), 100);
        assert_eq!(given.end(), Some((Outcome::WhiteWins, EndReason::Checkmate)));
    }
    let mut given = from_fen(RuleSet::fide(), None, "4Q3/8/1p4pk/1PbB1p1p/7P/p3P1PK/P3qP2/8 w - - 149 188");
    given.play("e8h8");
    assert_eq!(given.game.halfmoves(), 150);
    assert_eq!(given.end(), Some((Outcome::WhiteWins, EndReason::Checkmate)));
}

#[test]
fn each_kind_of_draw_has_its_own_reason() {
    // A14
    let mut given = fide();
    given.play_all(L5).claim(Color::White).expect("threefold");
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::ClaimThreefold)));

    let mut given = fide();
    for uci in L7.split_whitespace().take(100) {
        given.play(uci);
    }
    given.claim(Color::White).expect("fifty moves");
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::ClaimFiftyMoves)));

    let mut given = fide();
    given.play_all(L9);
    assert_eq!((given.game.ply(), given.end()), (50, Some((Outcome::Draw, EndReason::InsufficientMaterial))));

    let mut given = fide();
    given.play_all(L10);
    assert_eq!((given.game.ply(), given.end()), (19, Some((Outcome::Draw, EndReason::Stalemate))));
}

#[test]
fn every_end_reason_has_its_own_name() {
    // A14
    let names: std::collections::HashSet<_> = EndReason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), EndReason::ALL.len());
}

#[test]
fn the_shortest_mate_ends_the_game_in_the_same_decision_as_the_move() {
    let mut given = city();
    given.play_all("f2f3 e7e5 g2g4");
    let events = given.play("d8h4");
    assert_eq!(events.len(), 2);
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Checkmate)));
    assert_eq!(given.last_san(), "Qh4#");
    assert_eq!(given.game.legal_moves(), vec![]);
    assert_eq!(given.try_play("a2a3"), Err(Refusal::GameOver));
}

#[test]
fn a_rook_taken_at_home_takes_the_castling_right_along() {
    // A16
    let mut given = game(RuleSet::fide(), None);
    given.play_all(L8);
    assert_eq!(given.game.fen().split(' ').nth(2), Some("KQq"));
    given.play_all("f8g7 h8g7 g8f6 g7f6 e7f6 g1f3");
    assert_eq!(given.try_play("e8g8"), Err(Refusal::IllegalMove));
    assert_eq!(given.game.fen(), "rnbqk3/pppp1p2/5ppp/8/8/1P3N2/P1PPPPPP/RN1QKB1R b KQq - 1 6");
}

#[test]
fn a_promotion_that_captures_on_the_corner_takes_the_castling_right_along() {
    // A17
    let mut given = from_fen(RuleSet::fide(), None, "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1");
    given.play("b7a8q");
    assert_eq!(given.game.fen().split(' ').nth(2), Some("-"));
    let mut given = fide();
    given.play_all(L11);
    assert_eq!(given.game.fen(), "Qnbqkb1r/p4ppp/4pn2/8/8/8/PPPP1PPP/RNBQKBNR b KQk - 0 5");
}

#[test]
fn castling_is_refused_when_it_is_not_legal() {
    // A19 and the castling extras
    let fen = "4k1rr/1b1p3p/nn1p4/P3Np2/3P1bp1/6PP/P5R1/1B1K2N1 b k - 1 37";
    let mut given = from_fen(RuleSet::fide(), None, fen);
    assert_eq!(given.try_play("e8g8"), Err(Refusal::IllegalMove));
    assert_eq!(given.game.fen(), fen);
    for list in
        ["e2e4 b7b6 g1f3 c8a6 f1a6 b8a6 d2d3 a6b4 c1f4 b4d3", "e2e4 b7b6 g1f3 c8a6 f1c4 a6c4 d2d3 c4d3"]
    {
        let mut given = fide();
        given.play_all(list);
        assert_eq!(given.try_play("e1g1"), Err(Refusal::IllegalMove), "{list}");
    }
}

#[test]
fn castling_has_one_spelling() {
    let mut given = from_fen(RuleSet::fide(), None, "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!(given.try_play("e1h1"), Err(Refusal::IllegalMove));
    given.play("e1g1");
    assert_eq!(given.last_san(), "O-O");
}

#[test]
fn an_en_passant_capture_that_uncovers_the_king_is_refused() {
    // A21
    let mut given = fide();
    given.play_all(L12);
    assert_eq!(given.try_play("f5e6"), Err(Refusal::IllegalMove));
    for (fen, uci) in [
        ("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1", "d5e6"),
        ("1nbqkbnr/1pp1pppp/8/r1Pp3K/p7/5P2/PP1PP1PP/RNBQ1BNR w k d6 0 8", "c5d6"),
    ] {
        let mut given = from_fen(RuleSet::fide(), None, fen);
        assert_eq!(given.try_play(uci), Err(Refusal::IllegalMove), "{fen}");
        assert_eq!(given.game.fen().split(' ').nth(3), Some("-"), "no legal capture, no square: {fen}");
    }
}

#[test]
fn an_en_passant_capture_of_the_checking_pawn_is_legal() {
    // A22
    let mut given = from_fen(RuleSet::fide(), None, "4r1k1/7p/p3pQp1/3p2P1/1p1P1RK1/2P5/7q/8 b - - 0 1");
    given.play("h7h5");
    assert_eq!(legal(&given.game), ["g4f3", "g5h6"]);
    given.play("g5h6");
    let mut given = from_fen(RuleSet::fide(), None, "8/p2p1N2/8/4p2k/1p2P1Pp/1P1b3K/P6P/n7 b - g3 0 32");
    assert_eq!(legal(&given.game), ["h4g3", "h5g6"]);
    given.play("h4g3");
}

#[test]
fn the_right_to_capture_en_passant_lasts_one_move() {
    let mut given = fide();
    given.play_all("e2e4 a7a6 e4e5 d7d5");
    given.clone().play("e5d6");
    given.play_all("h2h3 h7h6");
    assert_eq!(given.try_play("e5d6"), Err(Refusal::IllegalMove));
}

#[test]
fn bishops_of_one_colour_alone_are_a_draw_at_once() {
    // A24
    for fen in [
        "5K2/8/8/1B6/8/k7/6b1/8 w - - 0 39",
        "2b5/4kB2/8/8/8/8/5K2/8 b - - 0 16",
        "8/6k1/8/8/4B3/3B4/8/1K6 w - - 0 1",
    ] {
        let given = from_fen(RuleSet::fide(), None, fen);
        assert_eq!(given.end(), Some((Outcome::Draw, EndReason::InsufficientMaterial)), "{fen}");
    }
}

#[test]
fn a_promotion_names_one_of_four_pieces() {
    // A39
    let mut given = city();
    for uci in L11.split_whitespace().take(8) {
        given.play(uci);
    }
    let before = (given.game.fen(), given.clocks());
    given.after_ms(5_000);
    assert_eq!(given.try_play("b7a8"), Err(Refusal::MissingPromotion));
    for uci in ["b7a8k", "b7a8p", "b7a8Q", "B7A8q", "b7a8qq", "b7", "", "0000", "Q@a8", "e2e9"] {
        assert_eq!(given.try_play(uci), Err(Refusal::MalformedMove), "{uci}");
    }
    assert_eq!(
        given.try_play("b7b8"),
        Err(Refusal::IllegalMove),
        "the square is taken: no promotion is missing"
    );
    assert_eq!((given.game.fen(), given.clocks()), before);
    given.play("b7a8n");
    assert_eq!(given.last_san(), "bxa8=N");
}

#[test]
fn a_piece_named_where_nothing_is_promoted_is_illegal() {
    let mut given = city();
    for uci in ["e2e4q", "g1f3n"] {
        assert_eq!(given.try_play(uci), Err(Refusal::IllegalMove));
    }
}

#[test]
fn a_queen_can_stalemate_where_a_rook_does_not() {
    // A39
    let fen = "8/5P1k/8/5K2/8/8/8/8 w - - 0 1";
    let mut queen = from_fen(RuleSet::fide(), None, fen);
    queen.play("f7f8q");
    assert_eq!(queen.end(), Some((Outcome::Draw, EndReason::Stalemate)));
    let mut rook = from_fen(RuleSet::fide(), None, fen);
    rook.play("f7f8r");
    assert_eq!(rook.end(), None);
}

#[test]
fn auto_queen_fills_in_a_missing_piece_and_nothing_else() {
    let given = from_fen(RuleSet::fide(), None, "8/5P1k/8/5K2/8/8/8/8 w - - 0 1");
    let filled = |uci| given.game.with_auto_queen(domain_chess::parse_uci(uci).expect(uci)).to_string();
    assert_eq!(filled("f7f8"), "f7f8q");
    assert_eq!(filled("f7f8r"), "f7f8r");
    assert_eq!(filled("f5f6"), "f5f6");
    assert_eq!(filled("g7g8"), "g7g8");
}

#[test]
fn captured_pieces_are_told_by_their_own_colour() {
    let mut given = city();
    given.play_all("e2e4 d7d5 e4d5 d8d5 b1c3 d5a2 a1a2");
    let captured = given.game.captured();
    assert_eq!((captured.white.pawn, captured.black.pawn, captured.black.queen), (2, 1, 1));
}

fn legal(game: &domain_chess::Game) -> Vec<String> {
    let mut moves: Vec<String> = game.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort();
    moves
}
