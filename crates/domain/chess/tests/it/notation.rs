//! SAN in and out.

use domain_chess::{RuleSet, StartPosition, UciMove, read_san};

use crate::{
    given::{fide, from_fen},
    lists::{L15A, L15B},
};

#[test]
fn a_pinned_piece_needs_no_telling_apart() {
    // A32
    let mut given = fide();
    given.play_all(L15A);
    assert_eq!(given.last_san(), "Ne2");
    let mut given = from_fen(RuleSet::fide(), None, "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1");
    given.play("g1e2");
    assert_eq!(given.last_san(), "Ne2");
    let mut given = fide();
    given.play_all("g1f3 g8f6 d2d4 d7d5 b1d2");
    assert_eq!(given.last_san(), "Nbd2");
}

#[test]
fn three_knights_are_told_apart_by_file_rank_or_both() {
    // A34
    let fen = "8/8/6K1/4k3/4N3/p4r2/N3N3/8 w - - 3 82";
    for (uci, san) in [("a2c3", "Nac3"), ("e2c3", "Ne2c3"), ("e4c3", "N4c3")] {
        let mut given = from_fen(RuleSet::fide(), None, fen);
        given.play(uci);
        assert_eq!(given.last_san(), san);
    }
}

#[test]
fn a_rook_move_with_the_squares_of_castling_is_a_rook_move() {
    // A36
    let mut given = fide();
    given.play_all(L15B);
    assert_eq!(given.last_san(), "Rg1");
    assert_eq!(
        given.game.fen().split(' ').next().and_then(|board| board.rsplit('/').next()),
        Some("RNBQ2RK")
    );
}

#[test]
fn castling_can_mate() {
    // A37
    let mut given = from_fen(RuleSet::fide(), None, "R7/8/8/8/3N4/1BB5/pr6/kb2K2R w K - 0 1");
    let mut sans = Vec::new();
    for uci in ["b3a2", "b1a2", "e1g1"] {
        given.play(uci);
        sans.push(given.last_san());
    }
    assert_eq!(sans, ["Bxa2", "Bxa2", "O-O#"]);
}

#[test]
fn loosely_written_moves_are_read() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let promoting = "1r5k/P7/8/8/8/8/8/K7 w - - 0 1";
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let en_passant = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3";
    for (fen, text, uci) in [
        (start, "e4", "e2e4"),
        (start, "e2e4", "e2e4"),
        (start, "e2-e4", "e2e4"),
        (start, "Pe4", "e2e4"),
        (start, "Ng1f3", "g1f3"),
        (start, "Ngf3!?", "g1f3"),
        (promoting, "a8Q", "a7a8q"),
        (promoting, "a8=N", "a7a8n"),
        (promoting, "a8(Q)", "a7a8q"),
        (promoting, "a8/R", "a7a8r"),
        (promoting, "axb8=Q+", "a7b8q"),
        (promoting, "ab8Q", "a7b8q"),
        (castling, "0-0", "e1g1"),
        (castling, "O-O", "e1g1"),
        (castling, "0-0-0+", "e1c1"),
        (castling, "Ra1d1", "a1d1"),
        (castling, "Rxa8+", "a1a8"),
        (castling, "Ra8", "a1a8"),
        (en_passant, "exf6", "e5f6"),
        (en_passant, "exf6e.p.", "e5f6"),
        (en_passant, "ef6", "e5f6"),
    ] {
        let position = StartPosition::from_fen(fen).expect(fen);
        let read = read_san(position.position(), text).map(|m| UciMove::from_standard(m).to_string());
        assert_eq!(read.as_deref(), Some(uci), "{text} in {fen}");
    }
}

#[test]
fn text_that_is_no_legal_move_or_more_than_one_is_not_read() {
    let start = StartPosition::default();
    for text in ["", "e5", "Nf3f5", "N", "O-O", "e8=Q", "Nd2", "ß", "e4e4e4e4e4e4e4e4e4", "--", "Z0"] {
        assert_eq!(read_san(start.position(), text), None, "{text}");
    }
    let rooks = StartPosition::from_fen("4k3/8/8/8/8/8/4K3/R6R w - - 0 1").expect("a legal position");
    assert_eq!(read_san(rooks.position(), "Rd1"), None);
    let promoting = StartPosition::from_fen("7k/P7/8/8/8/8/8/K7 w - - 0 1").expect("a legal position");
    assert_eq!(read_san(promoting.position(), "a8"), None, "a missing piece is an error here too");
}
