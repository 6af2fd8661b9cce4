//! Fair play as pure arithmetic: what an engine's evaluations say about a finished game, what a player's games
//! amount to, and how often two people may meet for a stake in a day.
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
//! | [`book`] | known opening positions |
//! | [`eligibility`] | which plies may count for the match rate, and why the others do not |
//! | [`mod@report`] | the report of a game, and the sum over a player's games |
//! | [`decision`] | each ply as a choice among the engine's moves and all others |
//! | [`human`] | how likely a person of a rating plays each move; how likely an engine does |
//! | [`bayes`] | an engine's help against a person, perhaps a stronger one |
//! | [`expectation`] | matches and losses against what a person would match and lose there |
//! | [`timing`] | thinking times against what the position asks for; [`time_class`]: classes of clocks |
//! | [`evidence`] | the sums of one side in one game; [`assessment`]: over games |
//! | [`screen`] | the first look at a game, before any engine |
//! | [`levels`] | the limits, what is reached, and when a level is left again |
//! | [`calibration`] | everything that was fitted, and to what; [`fit`]: the fits |
//! | [`pairs`] | six staked games a pair of persons and UTC day |
//! | [`collusion`] | signs that two persons play for each other, for a person to look at |
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
//! * `FAIR-6` Evidence adds up: the same games in the same order give the same bits, on every machine. The transcendental
//!   functions of the evidence come from `libm`.
//! * `FAIR-7` A flag needs the second pass, and a hold by matches or losses alone also speaks against a much stronger person.
//! * `PAIR-1` At most [`pairs::GAMES_PER_DAY_MAX`] matches of a pair's day are reserved or counted at any time.
//! * `FAIR-8` A sign of collusion changes no level, and of the signs raised on a day one in twenty is expected to be chance at most.
//! * `FAIR-9` What is noticed before an engine has looked moves a game forward in the queue, and no figure of the evidence.
//! * `PAIR-2` The first outcome of a match's reservation is kept: no repeat can flip it or take a second slot.
//!
//! # Deliberately absent
//!
//! Engines, clocks, storage and wire types. A verdict: the highest level asks a person to decide.
//!
//! # Sources
//!
//! Win chance and accuracy: lichess. Choice models: Regan & Haworth, "Intrinsic Chess Ratings", 2011. Why raw match rates
//! mislead: Barnes & Hernandez-Castro, "On the limits of engine analysis for cheating detection in chess", 2015. Why evidence
//! must add up over games: arXiv 2601.05386, on how little selective help is enough. Nelder & Mead, 1965, for the fit.
//! Benjamini & Hochberg, 1995, for many tests at once.

pub mod accuracy;
pub mod assessment;
pub mod bayes;
pub mod book;
pub mod calibration;
pub mod collusion;
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
pub mod screen;
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
