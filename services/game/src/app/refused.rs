//! Why a player's request is refused.

use domain_chess::{Ended, Game, Refusal};

use super::act::Action;

/// Why a player's request is refused. A refused request changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no such game.
    #[error("there is no such game")]
    GameUnknown,
    /// The caller does not play in this game.
    #[error("only the players of a game may act in it")]
    NotAPlayer,
    /// The request id stands for another request.
    #[error("the request id was used before with another body")]
    RequestIdReused,
    /// The game is over.
    #[error("the game is over")]
    GameOver {
        /// How it ended.
        ended: Ended,
    },
    /// The move was meant for another point of the game.
    #[error("the move was meant for another ply than the one after {current_ply}")]
    PlyStale {
        /// How many half-moves have been played.
        current_ply: u32,
        /// The position.
        fen: String,
        /// The last move, if one has been played.
        last_uci: Option<String>,
    },
    /// The move is not legal.
    #[error("the move is not legal")]
    IllegalMove {
        /// The move.
        uci: String,
        /// The position.
        fen: String,
    },
    /// A pawn reaches the last rank and the move does not name the new piece.
    #[error("the promotion piece is missing")]
    PromotionMissing {
        /// The move.
        uci: String,
    },
    /// The rules do not allow it.
    #[error(transparent)]
    ByRule(Refusal),
}

impl Refused {
    /// A refusal of the domain, with what the player needs to know of the game.
    pub(super) fn new(refusal: Refusal, action: Action, game: &Game, last_uci: Option<String>) -> Refused {
        match (refusal, game.end(), action) {
            (_, Some(ended), _) => Refused::GameOver { ended: *ended },
            (Refusal::StalePly { current_ply }, None, _) => {
                Refused::PlyStale { current_ply, fen: game.fen(), last_uci }
            }
            (Refusal::IllegalMove, None, Action::PlayMove { uci, .. }) => {
                Refused::IllegalMove { uci: uci.to_string(), fen: game.fen() }
            }
            (Refusal::MissingPromotion, None, Action::PlayMove { uci, .. }) => {
                Refused::PromotionMissing { uci: uci.to_string() }
            }
            (refusal, None, _) => Refused::ByRule(refusal),
        }
    }
}
