//! Ratings that somebody corrects because of a game.

use domain_glicko::Pool;
use uuid::Uuid;

use super::ended_game::{GameId, PlayerId};
use super::rate_game::Standing;

/// Characters of a reason at most.
pub const REASON_CHARS_MAX: usize = 500;

/// Why ratings are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorrectionKind {
    /// The game was voided.
    Voided,
    /// A moderator gave or took points.
    Adjusted,
}

/// One player's points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjustment {
    /// Whose.
    pub player: PlayerId,
    /// Against whom he played the game.
    pub opponent: PlayerId,
    /// Added to his rating.
    pub points: f64,
}

/// Who corrects, and what he says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The moderator or operator.
    pub actor_id: Uuid,
    /// His request.
    pub request_id: Uuid,
    /// His reason.
    pub reason: String,
    /// When, since the Unix epoch.
    pub at_ms: i64,
}

/// What is to be corrected.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// Because of which game.
    pub game_id: GameId,
    /// The game's pool.
    pub pool: Pool,
    /// Why.
    pub kind: CorrectionKind,
    /// Both players', White first, or one player's.
    pub adjustments: Vec<Adjustment>,
    /// Who says so.
    pub ruling: Ruling,
}

/// What a correction did to one player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    /// What was to be added.
    pub adjustment: Adjustment,
    /// As stored before.
    pub before: Standing,
    /// As stored now.
    pub after: Standing,
}

impl Corrected {
    /// Adds the points to where the player stands; deviation, volatility, games and idle time stay as they are.
    #[must_use]
    pub fn of(adjustment: Adjustment, before: Standing) -> Self {
        let after = Standing { rating: before.rating.moved(adjustment.points), ..before };
        Self { adjustment, before, after }
    }

    /// What the rating really moved by: less than the points at a bound.
    #[must_use]
    pub fn moved(&self) -> f64 {
        self.after.rating.raw().rating - self.before.rating.raw().rating
    }
}

/// A correction with what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeCorrection {
    /// The correction.
    pub correction: Correction,
    /// Its number in the pool.
    pub sequence: u64,
    /// As many as adjustments, in their order.
    pub players: Vec<Corrected>,
}
