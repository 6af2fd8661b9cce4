//! A player in a time class, over his games: what was measured, and the level.

use crate::bayes::{BayesFactor, Likelihoods};
use crate::calibration::Calibration;
use crate::evidence::Evidence;
use crate::expectation::Channel;
use crate::levels::{Depth, Measured};

/// The sums over a player's games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Games with a move that counts.
    pub games: usize,
    /// Evidence for an engine against a person.
    pub likelihoods: Likelihoods,
    /// Best-move matches.
    pub matches: Channel,
    /// Losses spared.
    pub spared: Channel,
    /// Matches against a person stronger by [`crate::evidence::STRONGER_BY`].
    pub matches_stronger: Channel,
    /// Losses spared against such a person.
    pub spared_stronger: Channel,
    /// Games with times.
    pub time_games: usize,
    /// Timed moves.
    pub timed_moves: usize,
    /// Sum of the games' rank correlations.
    pub correlation_sum: f64,
    /// Games with too even times.
    pub even_games: usize,
}

impl Totals {
    /// The sums over games, in the order given: the same order gives the same bits.
    #[must_use]
    pub fn over<'a>(calibration: &Calibration, games: impl IntoIterator<Item = &'a Evidence>) -> Self {
        let mut totals = Self::default();
        for game in games {
            totals.add(calibration, game);
        }
        totals
    }

    fn add(&mut self, calibration: &Calibration, game: &Evidence) {
        if game.moves() > 0 {
            self.games += 1;
        }
        self.likelihoods.add_game(&game.likelihoods, game.outcome);
        self.matches.add(&game.matches);
        self.spared.add(&game.spared);
        self.matches_stronger.add(&game.matches_stronger);
        self.spared_stronger.add(&game.spared_stronger);
        if let Some(time) = &game.time {
            self.time_games += 1;
            self.timed_moves += time.moves;
            self.correlation_sum += time.correlation;
            if time.variation < calibration.limits.even_variation {
                self.even_games += 1;
            }
        }
    }

    /// The Bayes factor.
    #[must_use]
    pub fn bayes_factor(&self) -> BayesFactor {
        self.likelihoods.bayes_factor()
    }

    /// The mean rank correlation; 1 without a game, which raises nothing.
    #[must_use]
    pub fn correlation(&self) -> f64 {
        if self.time_games == 0 {
            return 1.0;
        }
        self.correlation_sum / crate::accuracy::count(self.time_games)
    }

    /// What the limits ask. `history` are the sums over the player's games without a stake.
    #[must_use]
    pub fn measured(&self, calibration: &Calibration, history: Option<&Self>, depth: Depth) -> Measured {
        let history_z = history.map_or(0.0, |other| {
            let matches = self.matches.z_against(&other.matches, calibration.match_spread);
            let spared = self.spared.z_against(&other.spared, calibration.loss_spread);
            matches.max(spared)
        });
        Measured {
            games: self.games,
            moves: self.matches.moves,
            log_bayes: self.bayes_factor().log,
            match_z: self.matches.z(calibration.match_spread),
            loss_z: self.spared.z(calibration.loss_spread),
            match_z_stronger: self.matches_stronger.z(calibration.match_spread),
            loss_z_stronger: self.spared_stronger.z(calibration.loss_spread),
            history_z,
            correlation: self.correlation(),
            time_games: self.time_games,
            timed_moves: self.timed_moves,
            even_games: self.even_games,
            depth,
        }
    }
}
