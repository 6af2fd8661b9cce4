//! A game's stream: what it did to ratings, and what was corrected because of it since.

use uuid::Uuid;

use super::correction::{Adjustment, CorrectionKind, MadeCorrection};
use super::ended_game::PlayerId;
use super::rate_game::{PlayerChange, RatedGame};

/// Why a game's ratings are not corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// What it did is undone.
    #[error("the game is voided already")]
    Voided,
    /// The player did not play it.
    #[error("the player did not play the game")]
    NotAPlayer,
}

/// Less than this is what adding and taking away numbers leaves over.
const OWED_MIN: f64 = 1e-6;

/// How a case of fair play stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseStanding {
    /// The player had help.
    Confirmed,
    /// He had none, as far as anybody knows.
    Cleared,
}

/// A rated game with its corrections.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    rated: RatedGame,
    corrections: Vec<MadeCorrection>,
}

impl GameRecord {
    /// A game that was just rated.
    #[must_use]
    pub fn new(rated: RatedGame) -> Self {
        Self { rated, corrections: Vec::new() }
    }

    /// Takes a correction in.
    pub fn corrected(&mut self, made: MadeCorrection) {
        self.corrections.push(made);
    }

    /// What the game did.
    #[must_use]
    pub fn rated(&self) -> &RatedGame {
        &self.rated
    }

    /// The version of the game's stream.
    #[must_use]
    pub fn version(&self) -> usize {
        1 + self.corrections.len()
    }

    /// What was made of a request.
    #[must_use]
    pub fn of_request(&self, actor_id: Uuid, request_id: Uuid) -> Option<&MadeCorrection> {
        self.corrections.iter().find(|made| {
            let ruling = &made.correction.ruling;
            ruling.actor_id == actor_id && ruling.request_id == request_id
        })
    }

    /// What takes the game back: for each player, what it and the corrections because of it have come to, with the other sign.
    ///
    /// # Errors
    /// When it is taken back already.
    pub fn void(&self) -> Result<Vec<Adjustment>, Refusal> {
        self.check_not_voided()?;
        let (players, changes) = (self.rated.game.players(), &self.rated.changes);
        Ok([(players.white, players.black, &changes.white), (players.black, players.white, &changes.black)]
            .into_iter()
            .map(|(player, opponent, change)| Adjustment {
                player,
                opponent,
                points: -self.moved(player, change),
            })
            .collect())
    }

    /// Points for one player.
    ///
    /// # Errors
    /// When he did not play the game, or it is taken back.
    pub fn adjust(&self, player: PlayerId, points: f64) -> Result<Vec<Adjustment>, Refusal> {
        self.check_not_voided()?;
        let players = self.rated.game.players();
        let opponent = match player {
            white if white == players.white => players.black,
            black if black == players.black => players.white,
            _ => return Err(Refusal::NotAPlayer),
        };
        Ok(vec![Adjustment { player, opponent, points }])
    }

    /// The points that each player is to be given so that the game counts for nothing while a case against `subject` stands confirmed,
    /// and as it was played while it does not; nobody's when `subject` took no points in it. `mark` begins the reason of what was
    /// corrected because of this case before.
    #[must_use]
    pub fn owed(&self, subject: PlayerId, standing: CaseStanding, mark: &str) -> Vec<(PlayerId, f64)> {
        let (players, changes) = (self.rated.game.players(), &self.rated.changes);
        let by_game =
            |change: &PlayerChange| change.after.rating.raw().rating - change.before.rating.raw().rating;
        let moved = [(players.white, by_game(&changes.white)), (players.black, by_game(&changes.black))];
        let took_points = moved.iter().any(|(player, points)| *player == subject && *points > 0.0);
        let made = self.corrections.iter().filter(|made| made.correction.ruling.reason.starts_with(mark));
        let given: Vec<_> = made.flat_map(|made| &made.players).collect();
        moved
            .into_iter()
            .filter_map(|(player, points)| {
                let target = match standing {
                    CaseStanding::Confirmed if took_points => -points,
                    CaseStanding::Confirmed | CaseStanding::Cleared => 0.0,
                };
                let before = given.iter().filter(|one| one.adjustment.player == player);
                let owed = target - before.map(|one| one.moved()).sum::<f64>();
                (owed.abs() > OWED_MIN).then_some((player, owed))
            })
            .collect()
    }

    fn check_not_voided(&self) -> Result<(), Refusal> {
        let is_voided = self.corrections.iter().any(|made| made.correction.kind == CorrectionKind::Voided);
        if is_voided { Err(Refusal::Voided) } else { Ok(()) }
    }

    fn moved(&self, player: PlayerId, change: &PlayerChange) -> f64 {
        let by_game = change.after.rating.raw().rating - change.before.rating.raw().rating;
        let corrected = self.corrections.iter().flat_map(|made| &made.players);
        corrected
            .filter(|corrected| corrected.adjustment.player == player)
            .fold(by_game, |sum, one| sum + one.moved())
    }
}
