//! Whether a player's thinking times follow the position.
//!
//! The gap between best and second move says nothing about the time people take; a model of several traits of the
//! position does. Only ranks within a game are compared, so that slow and fast players are judged alike.

use crate::decision::Decision;
use crate::fit::linear::dot;

/// Explaining variables of a thinking time.
pub const TIME_FEATURES: usize = 10;
/// Added to a time before its logarithm: clocks tick coarsely.
const TICK_S: f64 = 0.3;
/// Added to a time before its spread is measured.
const CV_TICK_S: f64 = 0.1;
/// With fewer timed moves a game says nothing about times.
pub const TIMED_MOVES_MIN: usize = 15;
/// A relay that froze gives zeros: a game with a greater share of them is skipped.
const ZERO_SHARE_MAX: f64 = 0.5;
/// Times this near each other are a flat streak, in seconds.
const FLAT_S: f64 = 0.5;
/// Opening moves are played from memory.
const OPENING_MOVES: usize = 6;

/// A move whose time is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedMove {
    /// Seconds thought.
    pub seconds: f64,
    /// The explaining variables.
    pub features: [f64; TIME_FEATURES],
    /// A recapture, or a move with few alternatives: people answer at once.
    pub is_easy: bool,
}

/// What is known of the times around a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveTimes {
    /// Seconds the mover took.
    pub seconds: f64,
    /// Seconds his opponent took before, if known.
    pub opponent_seconds: Option<f64>,
    /// Share of the mover's time at the start that he had left before the move.
    pub left_share: f64,
}

impl TimedMove {
    /// A decision with its times.
    #[must_use]
    pub fn new(decision: &Decision, times: MoveTimes) -> Self {
        let moves_before = (decision.ply - 1) / 2;
        let flag = |is: bool| f64::from(u8::from(is));
        let features = [
            1.0,
            libm::log(crate::accuracy::count(decision.legal_moves.max(1))) - 3.0,
            decision.loss_at(1).min(20.0) / 10.0,
            (decision.win_chance - 50.0).abs() / 50.0,
            flag(decision.is_recapture),
            flag(decision.is_capture),
            flag(decision.is_check),
            libm::log(times.left_share.clamp(0.0, 1.5) + 0.05),
            times.opponent_seconds.map_or(0.0, |seconds| libm::log(seconds.max(0.0) + TICK_S)),
            flag(moves_before < OPENING_MOVES),
        ];
        let is_easy = decision.is_recapture || decision.legal_moves <= 3;
        Self { seconds: times.seconds.max(0.0), features, is_easy }
    }

    /// `ln(t + 0.3)`, what the model expects.
    #[must_use]
    pub fn log_seconds(&self) -> f64 {
        libm::log(self.seconds + TICK_S)
    }
}

/// The expectation of `ln(t + 0.3)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeModel {
    /// One weight a variable.
    pub weights: [f64; TIME_FEATURES],
}

/// What the times of one side in one game say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeEvidence {
    /// Timed moves.
    pub moves: usize,
    /// Rank correlation of actual and expected times.
    pub correlation: f64,
    /// Standard deviation over mean.
    pub variation: f64,
    /// Mean time of easy moves over that of the others; 1 when there is none of either.
    pub easy_ratio: f64,
    /// The longest run of moves with nearly the same time.
    pub flat_streak: usize,
}

impl TimeModel {
    /// The evidence of a game's timed moves in order; `None` when there are too few, or the clock did not run as clocks do.
    #[must_use]
    pub fn evidence(&self, moves: &[TimedMove]) -> Option<TimeEvidence> {
        let seconds: Vec<f64> = moves.iter().map(|timed| timed.seconds).collect();
        if moves.len() < TIMED_MOVES_MIN || !is_plausible(&seconds) {
            return None;
        }
        let expected: Vec<f64> = moves.iter().map(|timed| dot(&self.weights, &timed.features)).collect();
        Some(TimeEvidence {
            moves: moves.len(),
            correlation: rank_correlation(&seconds, &expected),
            variation: variation(&seconds)?,
            easy_ratio: easy_ratio(moves),
            flat_streak: flat_streak(&seconds),
        })
    }
}

/// Whether times can be a person's clock at all: not mostly zero, not all equal.
#[must_use]
pub fn is_plausible(seconds: &[f64]) -> bool {
    let zeros = seconds.iter().filter(|seconds| **seconds <= 0.0).count();
    let is_all_equal = seconds.windows(2).all(|pair| pair[0] == pair[1]);
    !is_all_equal && crate::accuracy::count(zeros) <= ZERO_SHARE_MAX * crate::accuracy::count(seconds.len())
}

/// Standard deviation over mean of the times with 0.1 s added; `None` for fewer than two.
#[must_use]
pub fn variation(seconds: &[f64]) -> Option<f64> {
    if seconds.len() < 2 {
        return None;
    }
    let number = crate::accuracy::count(seconds.len());
    let mean = seconds.iter().sum::<f64>() / number + CV_TICK_S;
    let squares: f64 = seconds.iter().map(|s| (s + CV_TICK_S - mean) * (s + CV_TICK_S - mean)).sum();
    Some((squares / number).sqrt() / mean)
}

/// Spearman's rank correlation, ties sharing their mean rank; 0 when one side does not vary.
#[must_use]
pub fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / crate::accuracy::count(x.len().max(1));
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let product = |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
    };
    let spread = (product(&a, mean_a, &a, mean_a) * product(&b, mean_b, &b, mean_b)).sqrt();
    if spread > 0.0 { product(&a, mean_a, &b, mean_b) / spread } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let tie = order[from..].iter().take_while(|at| values[**at] == values[order[from]]).count();
        for at in &order[from..from + tie] {
            ranks[*at] = crate::accuracy::count(from) + crate::accuracy::count(tie - 1) / 2.0;
        }
        from += tie;
    }
    ranks
}

fn easy_ratio(moves: &[TimedMove]) -> f64 {
    let (easy, other): (Vec<&TimedMove>, Vec<&TimedMove>) = moves.iter().partition(|timed| timed.is_easy);
    let mean = |moves: &[&TimedMove]| {
        moves.iter().map(|timed| timed.seconds + CV_TICK_S).sum::<f64>() / crate::accuracy::count(moves.len())
    };
    if easy.is_empty() || other.is_empty() { 1.0 } else { mean(&easy) / mean(&other) }
}

/// The longest run of moves with nearly the same time.
#[must_use]
pub fn flat_streak(seconds: &[f64]) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for (index, time) in seconds.iter().enumerate() {
        let goes_on = index > 0 && (time - seconds[index - 1]).abs() < FLAT_S && *time > 0.0;
        run = if goes_on { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest
}
