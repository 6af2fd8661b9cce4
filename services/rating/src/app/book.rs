//! The standings of one pool in memory, and what games and corrections do to them: the one place where ratings change, for
//! the games that come in as for a rebuild.

use std::collections::HashMap;

use domain_glicko::{Pair, Pool};

use super::correction::{Corrected, Correction, MadeCorrection};
use super::ended_game::{EndedGame, GameId, PlayerId};
use super::rate_game::{Page, RatedGame, Standing, rate};

/// A change of ratings, as one event records it.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A game was rated.
    Game(RatedGame),
    /// Ratings were corrected because of one.
    Correction(MadeCorrection),
}

impl Change {
    /// In which pool.
    #[must_use]
    pub fn pool(&self) -> Pool {
        match self {
            Self::Game(rated) => rated.game.pool(),
            Self::Correction(made) => made.correction.pool,
        }
    }

    /// Its number there.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        match self {
            Self::Game(rated) => rated.sequence,
            Self::Correction(made) => made.sequence,
        }
    }

    /// Because of which game.
    #[must_use]
    pub fn game_id(&self) -> GameId {
        match self {
            Self::Game(rated) => rated.game.game_id(),
            Self::Correction(made) => made.correction.game_id,
        }
    }
}

/// The standings of a pool: of everybody in it, or of those whom the changes to come concern.
#[derive(Debug)]
pub struct PoolBook {
    pool: Pool,
    last_sequence: u64,
    standings: HashMap<PlayerId, Standing>,
}

impl PoolBook {
    /// Without anybody, behind the change of that number.
    #[must_use]
    pub fn new(pool: Pool, last_sequence: u64) -> Self {
        Self { pool, last_sequence, standings: HashMap::new() }
    }

    /// Says where a player stands.
    pub fn put(&mut self, player: PlayerId, standing: Standing) {
        self.standings.insert(player, standing);
    }

    /// Which pool it is of.
    #[must_use]
    pub fn pool(&self) -> Pool {
        self.pool
    }

    /// The number of the last change.
    #[must_use]
    pub fn last_sequence(&self) -> u64 {
        self.last_sequence
    }

    /// Where everybody stands.
    pub fn standings(&self) -> impl ExactSizeIterator<Item = (PlayerId, &Standing)> {
        self.standings.iter().map(|(player, standing)| (*player, standing))
    }

    /// Rates a game: both players from where they stand now.
    pub fn rate(&mut self, game: EndedGame) -> RatedGame {
        let players = game.players();
        let before = Pair { white: self.standing(players.white), black: self.standing(players.black) };
        let rated = rate(game, Page { sequence: self.next_sequence(), before });
        self.standings.insert(players.white, rated.changes.white.after);
        self.standings.insert(players.black, rated.changes.black.after);
        rated
    }

    /// Makes a correction.
    pub fn correct(&mut self, correction: Correction) -> MadeCorrection {
        let sequence = self.next_sequence();
        let mut players = Vec::with_capacity(correction.adjustments.len());
        for adjustment in &correction.adjustments {
            let corrected = Corrected::of(*adjustment, self.standing(adjustment.player));
            self.standings.insert(adjustment.player, corrected.after);
            players.push(corrected);
        }
        MadeCorrection { correction, sequence, players }
    }

    fn next_sequence(&mut self) -> u64 {
        self.last_sequence += 1;
        self.last_sequence
    }

    fn standing(&self, player: PlayerId) -> Standing {
        self.standings.get(&player).copied().unwrap_or(Standing::fresh(self.pool))
    }
}
