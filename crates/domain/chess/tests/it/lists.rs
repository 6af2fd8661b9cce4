//! The move lists that the cases refer to, all from the usual start position.

/// A01: the first of three equal placements had a legal en-passant capture; one more move repeats for the third time.
pub const L1: &str = "e2e4 g8f6 e4e5 d7d5 f1c4 b8c6 c4f1 c6b8 f1c4 b8c6 c4f1 c6b8";

/// A02: a double push that nobody can capture leaves no trace.
pub const L2: &str = "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";

/// A04: the same placement with other castling rights is another position.
pub const L3: &str = "a2a4 a7a5 a1a3 a8a6 a3a1 a6a8 a1a3 a8a6 a3a1 a6a8 a1a3 a8a6 a3a1 a6a8";

/// Knights out and back, twice.
pub const L4: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";

/// A06: two different tours of the knights.
pub const L5: &str = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8";

/// A09: 150 quiet half-moves in which no position stands twice; the 100th may be replaced by `h7h6`.
pub const L7: &str = "b1a3 b8c6 a3b5 c6b4 g1h3 b4d5 b5d4 a8b8 d4b3 d5c3 a1b1 c3d5 h3g1 d5b6 b3d4 b6d5 g1f3 d5b6 f3e5 g8f6 e5g6 \
    f6h5 d4e6 b6c4 e6g5 c4a3 g5e6 b8a8 e6g5 h5f6 g5f3 h8g8 g6e5 f6g4 h1g1 g8h8 e5c4 g4h6 f3e5 a3b5 e5g4 a8b8 \
    c4b6 b5d4 g1h1 h8g8 h1g1 d4f5 b6a4 f5h4 b1a1 h4g6 g4e5 g8h8 a4c5 h6g8 c5a6 g6h4 e5g4 g8h6 a1b1 h4f5 a6c5 \
    f5d6 c5e6 h6f5 g4h6 d6e4 h6g4 b8a8 g4e3 f5d6 e3f5 e4f6 f5e3 h8g8 g1h1 f6e4 e3d5 e4g5 e6d4 d6e4 d5e3 e4c3 \
    e3c4 c3b5 c4e5 b5d6 e5f3 d6c4 d4e6 c4b6 f3d4 a8b8 e6f4 b6c4 f4h3 c4e5 b1a1 e5g6 d4f5 g8h8 f5h4 g5e4 a1b1 \
    h8g8 h3g5 g6f4 g5e6 e4g3 e6g5 f4e6 h1g1 b8a8 g5f3 g3f5 g1h1 e6d4 f3e5 f5g3 h4f5 d4b5 e5c4 b5a3 c4e3 a3c4 \
    f5h4 g8h8 h1g1 g3h5 b1a1 h5g3 e3f5 g3h1 h4g6 c4d6 f5d4 d6b5 d4c6 h8g8 g6f4 b5a3 c6a5 a3b1 a5c6 h1g3 f4g6 \
    a8b8 g6e5 g8h8";

/// A16: a bishop takes the unmoved rook.
pub const L8: &str = "b2b3 g7g6 c1b2 h7h6 b2h8";

/// A14: bare kings at the end.
pub const L9: &str = "b2b4 g7g5 g1f3 e7e5 f3g5 f8b4 g5h7 b4d2 e1d2 h8h7 e2e4 h7h2 h1h2 e8e7 d2e2 a7a6 d1d7 d8d7 c2c4 c7c5 c1b2 \
    b7b5 b2e5 b5c4 e5b8 a8b8 g2g4 d7g4 e2e1 b8b1 a1b1 g4e4 e1d2 c4c3 d2c3 e4b1 f1a6 b1a2 a6c8 a2f2 h2f2 f7f5 \
    f2f5 e7d8 f5c5 g8e7 c3d4 e7c8 c5c8 d8c8";

/// A14: stalemate at the end.
pub const L10: &str =
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6";

/// A17, A39: a promotion that captures on the corner; the last move may name another piece.
pub const L11: &str = "e2e4 d7d5 e4d5 c7c6 d5c6 g8f6 c6b7 e7e6 b7a8q";

/// A21: then `f5e6` would take two pawns off the rank of the king.
pub const L12: &str = "f2f4 a7a5 f4f5 a8a6 e1f2 a6b6 f2g3 b6b5 g3h4 b7b6 h4h5 e7e5";

/// A26: White has a lone king, Black is to move.
pub const L13: &str = "h2h4 f7f5 g2g4 f5g4 g1f3 g4f3 f1g2 f3e2 g2c6 e2d1n b1c3 d1f2 c3e4 b7c6 e4d6 e7d6 h1h3 d8h4 h3g3 h4g3 a2a3 \
    g3a3 a1a2 a3a2 b2b3 a2b3 c1b2 b3b2 c2c3 b2c3 e1e2 c3d2 e2f3";

/// A26: Black has everything, White has a lone king and is to move.
pub const L13W: &str = "e2e4 c7c6 f1b5 c6b5 a2a4 b5a4 b2b3 a4b3 a1a5 d8a5 b1c3 b3c2 e4e5 a5c3 g2g3 c2d1b e5e6 c3d2 e1f1 d2c1 f2f3 \
    d7e6 f3f4 c1f4 g1f3 f4f3 f1g1 f3h1 g1f2 h1h2 f2e1 h2g3";

/// A27: White has king and knight, Black has pawns and is to move.
pub const L14: &str = "b1a3 b8a6 b2b4 a6b4 d2d3 b4d3 e1d2 d3c1 g1f3 c1a2 d1c1 a2c1 a1a2 c1a2 c2c3 a2c3 e2e4 c3e4 d2e3 e4f2 g2g4 \
    f2g4 e3d4 g4h2 f1a6 b7a6 a3b5 a6b5 h1f1 h2f1 f3h2";

/// A32: the knight on c3 is pinned.
pub const L15A: &str = "d2d4 e7e6 b1c3 f8b4 e2e4 d7d5 g1e2";

/// A36: a rook move with the squares of castling.
pub const L15B: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f8c5 f1e1 e8g8 g1h1 d7d6 e1g1";
