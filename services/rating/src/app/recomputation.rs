//! What ratings would be if a game had never counted.

use std::collections::HashMap;

use domain_glicko::{Pair, PoolRating, Score, pool_rating};

use super::ended_game::{GameId, PlayerId};
use super::rate_game::Standing;

/// What a change was, as far as it can be made again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepKind {
    /// A game: what the first of the two players scored, and when it ended.
    Game {
        /// Of the first player.
        score: Score,
        /// Since the Unix epoch.
        ended_at_ms: i64,
    },
    /// A correction.
    Correction,
}

/// What a change did to one player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepPlayer {
    /// Whose.
    pub player: PlayerId,
    /// Where he stood.
    pub before: Standing,
    /// The rating that came out.
    pub after: PoolRating,
}

/// A change of the pool's history, in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Because of which game.
    pub game_id: GameId,
    /// What it was.
    pub kind: StepKind,
    /// Two for a game, one or two for a correction.
    pub players: Vec<StepPlayer>,
}

/// A rating that would be another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Changed {
    /// Whose.
    pub player: PlayerId,
    /// As it is.
    pub stored: PoolRating,
    /// As it would be.
    pub recomputed: Standing,
}

/// The ratings that differ once a game is left out, followed through everything that came after it. Who has not met anybody whose
/// rating differs stands where he stood, so only the others are kept.
#[derive(Debug)]
pub struct Recomputation {
    left_out: GameId,
    differing: HashMap<PlayerId, Alternative>,
    games: u64,
}

#[derive(Debug, Clone, Copy)]
struct Alternative {
    standing: Standing,
    stored: PoolRating,
}

impl Recomputation {
    /// Leaves out a game: its players stand where they stood before it.
    #[must_use]
    pub fn without(game: &Step) -> Self {
        let differing = game
            .players
            .iter()
            .map(|one| (one.player, Alternative { standing: one.before, stored: one.after }))
            .collect();
        Self { left_out: game.game_id, differing, games: 0 }
    }

    /// Games that were computed anew.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Follows the next change.
    pub fn follow(&mut self, step: &Step) {
        match (step.kind, step.players.as_slice()) {
            (StepKind::Game { score, ended_at_ms }, [first, second]) => {
                self.play([first, second], score, ended_at_ms);
            }
            (StepKind::Game { .. }, _) => {}
            (StepKind::Correction, players) => {
                let is_of_another_game = step.game_id != self.left_out;
                for one in players {
                    self.correct(one, is_of_another_game.then(|| moved(one)));
                }
            }
        }
    }

    /// Those whose rating would be another one, the largest differences first.
    #[must_use]
    pub fn changed(&self) -> Vec<Changed> {
        let mut changed: Vec<Changed> = self
            .differing
            .iter()
            .filter(|(_, one)| one.standing.rating.bits() != one.stored.bits())
            .map(|(player, one)| Changed { player: *player, stored: one.stored, recomputed: one.standing })
            .collect();
        let size = |one: &Changed| (one.recomputed.rating.raw().rating - one.stored.raw().rating).abs();
        changed.sort_by(|one, other| size(other).total_cmp(&size(one)).then(one.player.cmp(&other.player)));
        changed
    }

    fn play(&mut self, players: [&StepPlayer; 2], score: Score, ended_at_ms: i64) {
        if !players.iter().any(|one| self.differing.contains_key(&one.player)) {
            return;
        }
        self.games += 1;
        let before = players.map(|one| self.differing.get(&one.player).map_or(one.before, |it| it.standing));
        let [white, black] = before.map(|standing| standing.grown(ended_at_ms));
        // Who had White makes no difference to a rating (GLICKO-2).
        let after = pool_rating::update_pair(Pair { white, black }, score);
        for ((one, before), rating) in players.into_iter().zip(before).zip([after.white, after.black]) {
            let is_new = !self.differing.contains_key(&one.player);
            if is_new && rating.bits() == one.after.bits() {
                continue;
            }
            let standing = before.after_game(rating, ended_at_ms);
            self.differing.insert(one.player, Alternative { standing, stored: one.after });
        }
    }

    /// Points count as they were given; without any the correction would not have been made.
    fn correct(&mut self, one: &StepPlayer, points: Option<f64>) {
        if let Some(it) = self.differing.get_mut(&one.player) {
            it.stored = one.after;
            if let Some(points) = points {
                it.standing.rating = it.standing.rating.moved(points);
            }
        }
    }
}

fn moved(one: &StepPlayer) -> f64 {
    one.after.raw().rating - one.before.rating.raw().rating
}
