//! Fair play as pure arithmetic: what an engine's evaluations say about a finished game, and how often two
//! people may meet for a stake in a day.
//!
//! Everything here is a function of its arguments, so that anybody who has the game, the evaluations and this
//! crate gets the same numbers. A figure is evidence, not a verdict, and is never given without the size of the
//! sample behind it.
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`evaluation`] | scores as an engine gives them, evaluations in White's view, the win chance |
//! | [`accuracy`] | accuracy of a move, of a game, over games |
//! | [`judgement`] | inaccuracy, mistake, blunder |
//! | [`replay`] | a game replayed from its moves: the facts of each ply |
//! | [`eligibility`] | which plies may count for the match rate, and why the others do not |
//! | [`mod@report`] | the report of a game, and the sum over a player's games |
//! | [`pairs`] | six staked games a pair of persons and UTC day |
//!
//! # Invariants
//!
//! * `FAIR-1` A win chance and an accuracy lie in 0 to 100 and are finite, whatever the scores; where there is
//!   nothing to average the answer is `None`, never NaN.
//! * `FAIR-2` Scores change sign in one place only, [`Evaluation::seen_from`]; whatever is stored is White's view.
//! * `FAIR-3` Every ply of a side is either eligible or excluded for exactly one counted reason.
//! * `FAIR-4` An evaluation whose moves are not legal in the replayed position is refused whole: engine and host
//!   held different positions.
//! * `FAIR-5` One game never raises a level above clean, and below the named minimum says "not enough data".
//! * `PAIR-1` At most [`pairs::GAMES_PER_DAY_MAX`] matches of a pair's day are reserved or counted at any time.
//! * `PAIR-2` The first outcome of a match's reservation is kept: no repeat can flip it or take a second slot.
//!
//! # Deliberately absent
//!
//! Engines, clocks, storage and wire types; and any level above clean: those need the calibrated channels over
//! several games, which come with their own calibration file.

pub mod accuracy;
pub mod assessment;
pub mod bayes;
pub mod calibration;
pub mod decision;
pub mod eligibility;
pub mod evaluation;
pub mod evidence;
pub mod expectation;
pub mod fit;
pub mod human;
pub mod judgement;
pub mod levels;
pub mod pairs;
pub mod replay;
pub mod report;
pub mod time_class;
pub mod timing;

pub use accuracy::{game_accuracy, mean_accuracy, move_accuracy};
pub use eligibility::{Circumstances, Exclusion, Exclusions, exclusion};
pub use evaluation::{Evaluation, Score, win_chance};
pub use judgement::{Judgement, JudgementCounts};
pub use replay::{PlayedGame, PlyFacts, ReplayError};
pub use report::{
    Candidate, GameReport, Level, Loss, PlayerSummary, PlyEvaluation, PlyReport, ReportError, SideReport,
    report, summarise,
};
pub use shakmaty::{ByColor, Color};

#[cfg(test)]
mod tests;
