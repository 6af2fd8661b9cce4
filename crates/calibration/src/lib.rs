//! Makes the calibration of fair play from evaluated games, and measures what it finds and whom it suspects.
//!
//! The pure statistics and fits are in `domain-fairplay`; here are the files, the resampling and the figures. No false-alarm
//! figure is measured on games that the scoring models were fitted to, and nothing is fitted to helped games.
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`dataset`] | evaluated games in a folder |
//! | [`pgn`] | clocks of games without evaluations |
//! | [`fitting`] | a calibration from human games |
//! | [`pools`] | sides of games, scored by models that did not see them |
//! | [`trial`] | players resampled from games |
//! | [`bars`] | what the figures should be |
//! | [`figures`] | the figures |
//! | [`held_out`] | the figures once more, on games that nothing was fitted to |
//! | [`roc`] | the curve, as a picture |
//! | [`file`] | a calibration as a file, and the bundled one |
//!
//! # Invariants
//!
//! * `CAL-1` The same games give the same file, bit by bit: fits and draws have no clock and fixed seeds.
//! * `CAL-2` A file is named by its content; one that was changed by hand is refused.
//! * `CAL-3` A file holds derived figures only, none of the games.
//!
//! # Deliberately absent
//!
//! Engines: evaluations are read, not made.

pub mod bars;
pub mod dataset;
pub mod figures;
pub mod file;
pub mod fitting;
pub mod held_out;
pub mod pgn;
pub mod pools;
pub mod roc;
pub mod trial;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain_fairplay::calibration::Calibration;
use domain_fairplay::decision::decisions;
use domain_fairplay::evidence::{Evidence, telling_moves};
use domain_fairplay::{PlayedGame, report};

use dataset::{DatasetError, Game};
use figures::Figure;
use fitting::{Source, fit, measure_spreads};
use trial::{count, share};

/// Games of a player in the picture.
const ROC_GAMES: usize = 5;
/// Reports that are timed.
const TIMED_REPORTS: usize = 1_000;

/// Where the games are.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Holds `human_games_2025.pgn` and `synthetic_labelled.pgn`.
    pub games: PathBuf,
    /// Holds `evaluations_human.jsonl.gz` and `evaluations_synthetic.jsonl.gz`.
    pub evaluations: PathBuf,
}

/// What a calibration run gives.
#[derive(Debug)]
pub struct Calibrated {
    /// The calibration; not yet named.
    pub calibration: Calibration,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The picture.
    pub roc_svg: String,
}

/// Fits, scores, resamples.
///
/// # Errors
/// When a file is missing or is not what it should be.
pub fn calibrate(folders: &Folders, source: &Source) -> Result<Calibrated, DatasetError> {
    let humans = dataset::read(&folders.evaluations.join("evaluations_human.jsonl.gz"))?;
    let helped = dataset::read(&folders.evaluations.join("evaluations_synthetic.jsonl.gz"))?;
    let clocked = pgn::read(&text(&folders.games.join("human_games_2025.pgn"))?);
    let labelled = pgn::read(&text(&folders.games.join("synthetic_labelled.pgn"))?);
    let mut figures = vec![even_times(&clocked), unlabelled(&labelled, &helped)];

    let mut calibration = fit(&humans.iter().collect::<Vec<_>>(), source);
    let held = pools::hold_out(&humans, source);
    measure_spreads(&mut calibration, &held.human);
    let synthetic: Vec<(String, Evidence)> = helped
        .iter()
        .filter_map(|game| {
            let side = usize::from(game.helped?.is_black());
            Some((pools::kind(&game.event).to_owned(), pools::score(&calibration, game, side, 0.0)))
        })
        .collect();
    let pools = held.pools(&synthetic);
    figures.extend(figures::measure_all(&calibration, &pools));
    calibration.false_alarms = figures::false_alarms(&figures, pools.human.len());
    let roc_svg = roc::svg(&calibration, &pools, ROC_GAMES);
    figures.extend(held_out::measure_halves(&humans, &helped, source));
    figures.push(timed_reports(&calibration, &humans));
    Ok(Calibrated { calibration, figures, roc_svg })
}

fn text(path: &Path) -> Result<String, DatasetError> {
    std::fs::read_to_string(path).map_err(|cause| DatasetError::File { path: path.to_owned(), cause })
}

/// The share of human sides whose times are too even for a person.
fn even_times(games: &[pgn::Clocked]) -> Figure {
    let limit = domain_fairplay::levels::Limits::default().even_variation;
    let variations: Vec<f64> = games.iter().flat_map(pgn::variations).collect();
    let mut figure =
        Figure::new("even_times", "human", 1, share(&variations, |variation| *variation < limit));
    figure.note = format!("sides with a variation of times below {limit}, of {}", variations.len());
    figure
}

/// Labelled games without evaluations.
fn unlabelled(labelled: &[pgn::Clocked], evaluated: &[Game]) -> Figure {
    let missing =
        labelled.iter().filter(|game| evaluated.iter().all(|other| other.event != game.event)).count();
    let mut figure = Figure::new("labelled_games_without_evaluations", "synthetic", 1, count(missing));
    figure.note = format!("{} labelled games, {} evaluated", labelled.len(), evaluated.len());
    figure
}

/// Seconds of one core for the statistics of many reports, without an engine.
fn timed_reports(calibration: &Calibration, humans: &[Game]) -> Figure {
    let started = thread_time();
    let mut moves = 0;
    for index in 0..TIMED_REPORTS {
        let game = &humans[index % humans.len()];
        let played = PlayedGame::replay(&game.moves).expect("it was read from its moves");
        let report = report(&played, &game.evaluations).expect("they were read with the game");
        let decisions = decisions(&played, &game.evaluations).expect("they were read with the game");
        for (seat, timed) in game.seats.iter().zip(&game.timed) {
            let evidence = Evidence::of(calibration, *seat, &decisions, timed);
            moves += evidence.moves() + telling_moves(calibration, *seat, &decisions, 5).len();
        }
        moves += report.plies.len();
    }
    let seconds = thread_time().saturating_sub(started).as_secs_f64();
    let mut figure = Figure::new("statistics_of_1000_reports_s", "human", 1, seconds);
    figure.note = format!(
        "replay, report and evidence of both sides of {TIMED_REPORTS} games, {moves} plies and moves looked at, one core"
    );
    figure
}

/// The processor time of this thread, as the kernel counts it: what else runs on a busy machine does not count.
fn thread_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}
