//! Start positions.

use domain_chess::{FEN_BYTES_MAX, FenRefusal, RuleSet, StartPosition};

use crate::given::from_fen;

#[test]
fn impossible_positions_are_refused() {
    // A41
    for fen in [
        "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1",
        "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14",
        "8/8/8/8/8/8/8/8 b - - 0 1",
        "8/pp5p/kqp5/2P1Br2/5Pb1/P1NQ4/1P4PP/2K2BbR w - - 0 1",
        "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
    ] {
        assert!(matches!(StartPosition::from_fen(fen), Err(FenRefusal::Impossible(_))), "{fen}");
    }
}

#[test]
fn text_that_is_no_fen_is_refused() {
    for fen in ["", "nonsense", "8/8/8 w - - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1"]
    {
        assert!(StartPosition::from_fen(fen).is_err(), "{fen}");
    }
    assert_eq!(StartPosition::from_fen(&"8".repeat(FEN_BYTES_MAX + 1)), Err(FenRefusal::TooLong));
    for counters in ["151 1", "0 10000", "4294967295 4294967295"] {
        let fen = format!("4k2r/8/8/8/8/8/8/4K2R w - - {counters}");
        assert_eq!(StartPosition::from_fen(&fen), Err(FenRefusal::Counters), "{fen}");
    }
}

#[test]
fn a_fen_names_an_en_passant_square_only_where_a_capture_is_legal() {
    let written = |fen: &str| StartPosition::from_fen(fen).expect(fen).fen();
    let legal = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3";
    assert_eq!(written(legal), legal);
    assert_eq!(
        written("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    );
}

#[test]
fn a_game_from_a_position_with_black_to_move_counts_from_ply_one() {
    let mut given = from_fen(RuleSet::friendly(), None, "4k3/8/8/8/8/8/4r3/K7 b - - 0 40");
    given.play("e2e7");
    assert_eq!((given.game.ply(), given.last_move().ply), (1, 1));
    assert_eq!((given.game.moves_made().white, given.game.moves_made().black), (0, 1));
}
