//! The report of a finished game, and the sum over a player's games.

use shakmaty::{ByColor, Chess, Color, Move};
use thiserror::Error;

use crate::accuracy::{count, game_accuracy, mean_accuracy, move_accuracy};
use crate::eligibility::{Circumstances, Exclusion, Exclusions, exclusion};
use crate::evaluation::{Evaluation, START, Score};
use crate::judgement::{Judgement, JudgementCounts};
use crate::replay::{PlayedGame, PlyFacts, legal_move};

/// A side with fewer eligible plies in a game gets no statement about that game at all: averages over so few
/// moves are noise.
pub const GAME_ELIGIBLE_PLIES_MIN: usize = 12;
/// A player needs this many eligible plies, in [`PLAYER_GAMES_MIN`] games, before anything is said about him.
pub const PLAYER_ELIGIBLE_PLIES_MIN: usize = 40;
/// One game never speaks about a player.
pub const PLAYER_GAMES_MIN: usize = 2;

/// A move the engine listed, with its score in the view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move in UCI notation.
    pub uci: String,
    /// Its score, as the engine gave it.
    pub score: Score,
}

/// The engine's answer about one position: its moves, best first. No moves: the position was not analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlyEvaluation {
    /// The listed moves, best first.
    pub lines: Vec<Candidate>,
}

/// Why no report can be made of these evaluations.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReportError {
    /// There must be one evaluation a ply, and may be one more for the last position.
    #[error("{evaluations} evaluations do not fit {plies} plies")]
    WrongCount {
        /// Evaluations given.
        evaluations: usize,
        /// Plies played.
        plies: usize,
    },
    /// A listed move is not legal in this position, or listed twice: the engine looked at another position.
    #[error("evaluation {index} lists {uci:?}, which does not belong to its position")]
    ForeignMove {
        /// Index of the evaluation, from 0.
        index: usize,
        /// The move as it was given.
        uci: String,
    },
}

/// How strong the evidence against a player is.
///
/// A report of one game never goes beyond clean; the higher levels are reached by a player in a time class, over
/// several games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Too few usable moves to say anything.
    NotEnoughData,
    /// Enough moves, and nothing found.
    Clean,
    /// Worth a second look by engine and by a person; nothing happens to the player.
    Review,
    /// Later prizes are held for a short time.
    Hold,
    /// No staked games until a person has decided.
    Flag,
}

/// What the report says of one ply.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyReport {
    /// The side that moved.
    pub mover: Color,
    /// The move played.
    pub uci: String,
    /// The engine's best move, if the position was analysed.
    pub best: Option<String>,
    /// The evaluation before the move, White's view.
    pub before: Option<Evaluation>,
    /// The evaluation after the move, White's view.
    pub after: Option<Evaluation>,
    /// What the move gave away against the best one, if known.
    pub loss: Option<Loss>,
    /// The accuracy of the move, 0 to 100.
    pub accuracy: Option<f64>,
    /// Inaccuracy, mistake or blunder. The engine's own choice is never judged.
    pub judgement: Option<Judgement>,
    /// Why the ply does not count for the match rate; `None` when it does.
    pub exclusion: Option<Exclusion>,
}

impl PlyReport {
    /// Whether the engine's best move was played.
    #[must_use]
    pub fn is_best(&self) -> bool {
        self.best.as_ref() == Some(&self.uci)
    }
}

/// What a move gave away against the best one; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// In points of win chance.
    pub win_chance_points: f64,
    /// In centipawns, both scores cut at ±1000.
    pub centipawns: f64,
}

/// The figures of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct SideReport {
    /// Moves made.
    pub plies: usize,
    /// Moves whose loss is known: the sample behind `mean_loss`.
    pub measured_plies: usize,
    /// Accuracy of the game, 0 to 100.
    pub accuracy: Option<f64>,
    /// The mean loss over the measured plies.
    pub mean_loss: Option<Loss>,
    /// Moves that may count for the match rate: the sample behind `best_matches`.
    pub eligible_plies: usize,
    /// Eligible moves that were the engine's best.
    pub best_matches: usize,
    /// Moves that do not count, by reason.
    pub exclusions: Exclusions,
    /// Inaccuracies, mistakes and blunders over all moves.
    pub judgements: JudgementCounts,
    /// What the sample allows to say.
    pub level: Level,
}

/// The report of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// One entry a ply.
    pub plies: Vec<PlyReport>,
    /// The figures of each side.
    pub sides: ByColor<SideReport>,
}

/// The sum over a player's games.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSummary {
    /// Games summed.
    pub games: usize,
    /// Moves that may count.
    pub eligible_plies: usize,
    /// Eligible moves that were the engine's best.
    pub best_matches: usize,
    /// The plain mean of the accuracies of the games that have one.
    pub mean_accuracy: Option<f64>,
    /// What the sample allows to say.
    pub level: Level,
}

/// Makes the report of a game from one evaluation a ply (the position before the move), and optionally one more
/// for the last position.
///
/// The accuracy of a move and its judgement compare the evaluations of neighbouring positions, as players know
/// them from lichess; the standard start position counts as +0.15. The loss of a move is that of fairplay.md:
/// best minus played in the same list, a move not listed taking the next position's best, but never more than
/// the worst listed score.
///
/// # Errors
///
/// [`ReportError`] when the evaluations do not belong to this game.
pub fn report(game: &PlayedGame, evaluations: &[PlyEvaluation]) -> Result<GameReport, ReportError> {
    check_count(game, evaluations)?;
    let lists = listed_moves(game, evaluations)?;
    let positions = position_evaluations(game, &lists);
    let reports: Vec<PlyReport> = game
        .plies()
        .iter()
        .enumerate()
        .map(|(index, facts)| ply_report(index, facts, &lists[index], &positions[index..]))
        .collect();
    let accuracy = game_accuracy(game.first_mover(), &positions);
    let sides = ByColor::new_with(|side| side_report(side, &reports, *accuracy.get(side)));
    Ok(GameReport { plies: reports, sides })
}

/// Sums the sides a player had in his games.
#[must_use]
pub fn summarise(games: &[&SideReport]) -> PlayerSummary {
    let accuracies: Vec<f64> = games.iter().filter_map(|side| side.accuracy).collect();
    let eligible_plies = games.iter().map(|side| side.eligible_plies).sum();
    let is_enough = games.len() >= PLAYER_GAMES_MIN && eligible_plies >= PLAYER_ELIGIBLE_PLIES_MIN;
    PlayerSummary {
        games: games.len(),
        eligible_plies,
        best_matches: games.iter().map(|side| side.best_matches).sum(),
        mean_accuracy: mean_accuracy(&accuracies),
        level: if is_enough { Level::Clean } else { Level::NotEnoughData },
    }
}

/// A listed move, checked against its position, in White's view.
pub(crate) struct Listed {
    pub(crate) played: Move,
    pub(crate) uci: String,
    pub(crate) evaluation: Evaluation,
}

pub(crate) fn check_count(game: &PlayedGame, evaluations: &[PlyEvaluation]) -> Result<(), ReportError> {
    let plies = game.plies().len();
    if evaluations.len() != plies && evaluations.len() != plies + 1 {
        return Err(ReportError::WrongCount { evaluations: evaluations.len(), plies });
    }
    Ok(())
}

pub(crate) fn listed_moves(
    game: &PlayedGame,
    evaluations: &[PlyEvaluation],
) -> Result<Vec<Vec<Listed>>, ReportError> {
    let lists = evaluations.iter().enumerate().map(|(index, evaluation)| {
        let position = game.position(index).expect("the count of evaluations was checked");
        listed_in(position, evaluation).map_err(|uci| ReportError::ForeignMove { index, uci })
    });
    lists.collect()
}

/// The checked list, or the move that does not belong to the position.
fn listed_in(position: &Chess, evaluation: &PlyEvaluation) -> Result<Vec<Listed>, String> {
    use shakmaty::{CastlingMode, Position, uci::UciMove};

    let mut listed: Vec<Listed> = Vec::with_capacity(evaluation.lines.len());
    for line in &evaluation.lines {
        let played = legal_move(position, &line.uci)
            .filter(|played| listed.iter().all(|earlier| earlier.played != *played))
            .ok_or_else(|| line.uci.clone())?;
        listed.push(Listed {
            played,
            uci: UciMove::from_move(played, CastlingMode::Standard).to_string(),
            evaluation: Evaluation::seen_from(position.turn(), line.score),
        });
    }
    Ok(listed)
}

/// The evaluation of each position, the last one included.
pub(crate) fn position_evaluations(game: &PlayedGame, lists: &[Vec<Listed>]) -> Vec<Option<Evaluation>> {
    let mut positions: Vec<Option<Evaluation>> =
        lists.iter().map(|list| list.first().map(|best| best.evaluation)).collect();
    positions.resize(game.plies().len() + 1, None);
    if game.starts_at_the_start() {
        positions[0] = Some(START);
    }
    if let Some(ending) = game.ending() {
        positions[game.plies().len()] = Some(ending);
    }
    positions
}

/// `positions` starts with the position before the ply.
fn ply_report(
    index: usize,
    facts: &PlyFacts,
    list: &[Listed],
    positions: &[Option<Evaluation>],
) -> PlyReport {
    let mover = facts.mover;
    let (before, after) = (positions[0], positions[1]);
    let best = list.first();
    let is_best = best.is_some_and(|best| best.uci == facts.uci);
    let chances =
        before.zip(after).map(|(before, after)| (before.win_chance_for(mover), after.win_chance_for(mover)));
    PlyReport {
        mover,
        uci: facts.uci.clone(),
        best: best.map(|best| best.uci.clone()),
        before,
        after,
        loss: loss(facts, list, after),
        accuracy: chances.map(|(before, after)| move_accuracy(before, after)),
        judgement: chances.filter(|_| !is_best).and_then(|(before, after)| Judgement::of(before, after)),
        exclusion: exclusion_of(index, facts, list),
    }
}

pub(crate) fn exclusion_of(index: usize, facts: &PlyFacts, list: &[Listed]) -> Option<Exclusion> {
    let best = list.first();
    exclusion(&Circumstances {
        moves_before: index / 2,
        is_known_opening: facts.is_known_opening,
        legal_moves: facts.legal_moves,
        is_repetition: facts.is_repetition,
        is_recapture: best.is_some_and(|best| facts.captured_on.is_some_and(|at| best.played.to() == at)),
        best: best.map(|best| best.evaluation),
        second: list.get(1).map(|second| second.evaluation),
        worst: list
            .iter()
            .map(|listed| listed.evaluation)
            .min_by_key(|listed| listed.centipawns_for(facts.mover)),
    })
}

pub(crate) fn loss(facts: &PlyFacts, list: &[Listed], next: Option<Evaluation>) -> Option<Loss> {
    let mover = facts.mover;
    let centipawns = |evaluation: Evaluation| evaluation.centipawns_for(mover);
    let best = centipawns(list.first()?.evaluation);
    let played = match list.iter().find(|listed| listed.uci == facts.uci) {
        Some(listed) => centipawns(listed.evaluation),
        None => {
            let worst_listed = list.iter().map(|listed| centipawns(listed.evaluation)).min()?;
            centipawns(next?).min(worst_listed)
        }
    };
    let points = crate::win_chance(best) - crate::win_chance(played);
    Some(Loss { win_chance_points: points.max(0.0), centipawns: f64::from((best - played).max(0)) })
}

fn side_report(side: Color, reports: &[PlyReport], accuracy: Option<f64>) -> SideReport {
    let own: Vec<&PlyReport> = reports.iter().filter(|ply| ply.mover == side).collect();
    let mut exclusions = Exclusions::default();
    let mut judgements = JudgementCounts::default();
    for ply in &own {
        ply.exclusion.into_iter().for_each(|reason| exclusions.add(reason));
        ply.judgement.into_iter().for_each(|judgement| judgements.add(judgement));
    }
    let losses: Vec<Loss> = own.iter().filter_map(|ply| ply.loss).collect();
    let eligible_plies = own.len() - exclusions.total();
    let is_enough = eligible_plies >= GAME_ELIGIBLE_PLIES_MIN;
    SideReport {
        plies: own.len(),
        measured_plies: losses.len(),
        accuracy,
        mean_loss: mean_loss(&losses),
        eligible_plies,
        best_matches: own.iter().filter(|p| p.exclusion.is_none() && p.is_best()).count(),
        exclusions,
        judgements,
        level: if is_enough { Level::Clean } else { Level::NotEnoughData },
    }
}

fn mean_loss(losses: &[Loss]) -> Option<Loss> {
    let number = count(losses.len());
    (!losses.is_empty()).then(|| Loss {
        win_chance_points: losses.iter().map(|loss| loss.win_chance_points).sum::<f64>() / number,
        centipawns: losses.iter().map(|loss| loss.centipawns).sum::<f64>() / number,
    })
}
