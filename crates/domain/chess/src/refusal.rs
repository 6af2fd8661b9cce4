//! Why a command is refused, and why a stored event does not fit.

/// Why a command is refused. A refused command changes nothing (CHESS-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The game has not begun.
    #[error("the game has not begun")]
    NotStarted,
    /// The game has already begun.
    #[error("the game has already begun")]
    AlreadyStarted,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The text is not a move at all.
    #[error("the move is not written in uci notation")]
    MalformedMove,
    /// The move is not legal in this position.
    #[error("the move is not legal")]
    IllegalMove,
    /// A pawn reaches the last rank and the move does not name the new piece.
    #[error("the promotion piece is missing")]
    MissingPromotion,
    /// The opponent is on move.
    #[error("it is the opponent's turn")]
    NotYourTurn,
    /// The move was meant for another point of the game.
    #[error("the move was meant for another ply than the one after {current_ply}")]
    StalePly {
        /// How many half-moves have been played.
        current_ply: u32,
    },
    /// There is no offer to answer.
    #[error("no draw offer is open")]
    NoDrawOffer,
    /// The player has no offers left in this game.
    #[error("no draw offers are left")]
    DrawOfferLimit,
    /// The player has to make more moves before the next offer.
    #[error("a draw may be offered after {own_moves_left} more own moves")]
    DrawOfferTooSoon {
        /// How many own moves are still to be made.
        own_moves_left: u32,
    },
    /// The player's offer is still open.
    #[error("the draw offer is still open")]
    DrawOfferOpen,
    /// A player can neither accept nor take back his own offer.
    #[error("a player cannot answer his own draw offer")]
    OwnDrawOffer,
    /// The position on the board gives no claim.
    #[error("there is nothing to claim")]
    NothingToClaim,
    /// The game's rule set has no such thing.
    #[error("the rule set does not allow it")]
    NotAllowedByRuleSet,
}

/// Why a stored event does not fit the game it is said to belong to: the log is damaged, or out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The log does not begin with the game's beginning.
    #[error("the log does not begin with the start of the game")]
    BeforeStart,
    /// The game begins twice.
    #[error("the game starts a second time")]
    SecondStart,
    /// Something happens after the end.
    #[error("an event follows the end of the game")]
    AfterEnd,
    /// A move does not carry the next half-move number.
    #[error("ply {found} follows ply {current_ply}")]
    WrongPly {
        /// How many half-moves have been played.
        current_ply: u32,
        /// The number that the stored move carries.
        found: u32,
    },
    /// A stored move cannot be played.
    #[error("the stored move of ply {ply} is not legal")]
    IllegalMove {
        /// The half-move number.
        ply: u32,
    },
}
