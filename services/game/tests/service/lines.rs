//! Games as move lists, named as in the cases. All are legal from the usual start position.

/// The Opera Game, Paris 1858: 33 plies, 1-0 by mate.
pub const OPERA: &str = "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 c3b5 \
                         c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8";
/// The third time after ply 8.
pub const L4: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
/// Two different knight tours; the third time after ply 8.
pub const L5: &str = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8";
/// The first 100 of 150 quiet plies, no position twice.
pub const L7_100: &str = "b1a3 b8c6 a3b5 c6b4 g1h3 b4d5 b5d4 a8b8 d4b3 d5c3 a1b1 c3d5 h3g1 d5b6 b3d4 b6d5 g1f3 d5b6 f3e5 \
    g8f6 e5g6 f6h5 d4e6 b6c4 e6g5 c4a3 g5e6 b8a8 e6g5 h5f6 g5f3 h8g8 g6e5 f6g4 h1g1 g8h8 e5c4 g4h6 f3e5 a3b5 e5g4 a8b8 \
    c4b6 b5d4 g1h1 h8g8 h1g1 d4f5 b6a4 f5h4 b1a1 h4g6 g4e5 g8h8 a4c5 h6g8 c5a6 g6h4 e5g4 g8h6 a1b1 h4f5 a6c5 f5d6 c5e6 \
    h6f5 g4h6 d6e4 h6g4 b8a8 g4e3 f5d6 e3f5 e4f6 f5e3 h8g8 g1h1 f6e4 e3d5 e4g5 e6d4 d6e4 d5e3 e4c3 e3c4 c3b5 c4e5 b5d6 \
    e5f3 d6c4 d4e6 c4b6 f3d4 a8b8 e6f4 b6c4 f4h3 c4e5 b1a1 e5g6";
/// A bishop takes the unmoved rook on h8.
pub const L8: &str = "b2b3 g7g6 c1b2 h7h6 b2h8";
/// Bare kings at ply 50.
pub const L9: &str = "b2b4 g7g5 g1f3 e7e5 f3g5 f8b4 g5h7 b4d2 e1d2 h8h7 e2e4 h7h2 h1h2 e8e7 d2e2 a7a6 d1d7 d8d7 c2c4 c7c5 \
    c1b2 b7b5 b2e5 b5c4 e5b8 a8b8 g2g4 d7g4 e2e1 b8b1 a1b1 g4e4 e1d2 c4c3 d2c3 e4b1 f1a6 b1a2 a6c8 a2f2 h2f2 f7f5 f2f5 \
    e7d8 f5c5 g8e7 c3d4 e7c8 c5c8 d8c8";
/// Stalemate at ply 19.
pub const L10: &str =
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6";
/// The first eight plies of a game in which a pawn may take on a8 and promote.
pub const L11_8: &str = "e2e4 d7d5 e4d5 c7c6 d5c6 g8f6 c6b7 e7e6";
/// White has a bare king, Black can mate, Black is to move.
pub const L13: &str = "h2h4 f7f5 g2g4 f5g4 g1f3 g4f3 f1g2 f3e2 g2c6 e2d1n b1c3 d1f2 c3e4 b7c6 e4d6 e7d6 h1h3 d8h4 h3g3 h4g3 \
    a2a3 g3a3 a1a2 a3a2 b2b3 a2b3 c1b2 b3b2 c2c3 b2c3 e1e2 c3d2 e2f3";
/// The rook goes from e1 to g1 while the king stands on h1: no castling.
pub const L15B: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f8c5 f1e1 e8g8 g1h1 d7d6 e1g1";
/// Mate at ply 4.
pub const FOOLS_MATE: &str = "f2f3 e7e5 g2g4 d8h4";
/// A first position with a legal en-passant capture; with `f1c4` the third of the later ones.
pub const L1: &str = "e2e4 g8f6 e4e5 d7d5 f1c4 b8c6 c4f1 c6b8 f1c4 b8c6 c4f1 c6b8";
/// A repetition in which no en-passant capture was ever legal.
pub const L2: &str = "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
/// The same placement with other castling rights.
pub const L3: &str = "a2a4 a7a5 a1a3 a8a6 a3a1 a6a8 a1a3 a8a6 a3a1 a6a8 a1a3 a8a6 a3a1 a6a8";
/// An en-passant capture would bare the king's rank.
pub const L12: &str = "f2f4 a7a5 f4f5 a8a6 e1f2 a6b6 f2g3 b6b5 g3h4 b7b6 h4h5 e7e5";
/// White has king and knight, Black pawns and the move.
pub const L14: &str = "b1a3 b8a6 b2b4 a6b4 d2d3 b4d3 e1d2 d3c1 g1f3 c1a2 d1c1 a2c1 a1a2 c1a2 c2c3 a2c3 e2e4 c3e4 d2e3 e4f2 \
    g2g4 f2g4 e3d4 g4h2 f1a6 b7a6 a3b5 a6b5 h1f1 h2f1 f3h2";
/// The last move's SAN does not name a file.
pub const L15A: &str = "d2d4 e7e6 b1c3 f8b4 e2e4 d7d5 g1e2";
