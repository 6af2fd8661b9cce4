//! Players whose moves are drawn from the bundled human model, or from an engine's choices, and what becomes of them.

use calibration::file::bundled;
use calibration::trial::{Seeded, count};
use domain_fairplay::assessment::Totals;
use domain_fairplay::calibration::Calibration;
use domain_fairplay::decision::{Decision, decisions};
use domain_fairplay::evidence::{Evidence, Outcome, Seat};
use domain_fairplay::human::{Options, engine_options};
use domain_fairplay::levels::{Depth, next_level, reached};
use domain_fairplay::time_class::TimeClass;
use domain_fairplay::{Candidate, Color, Exclusion, Level, PlayedGame, PlyEvaluation, Score, summarise};
use shakmaty::{CastlingMode, Position as _};

/// Moves that count in a drawn game.
const MOVES: usize = 22;

fn unit(seeded: &mut Seeded) -> f64 {
    count(seeded.below(1 << 30)) / count(1 << 30)
}

/// A position as they come in the middle of games: mostly several good moves, sometimes one.
fn position(seeded: &mut Seeded, ply: usize) -> Decision {
    let spread = 0.3 + 9.0 * unit(seeded) * unit(seeded);
    let mut losses = vec![0.0];
    for _ in 0..3 {
        let last = losses.last().copied().unwrap_or(0.0);
        losses.push(last + spread * unit(seeded));
    }
    Decision {
        ply,
        mover: Color::White,
        uci: String::new(),
        exclusion: None,
        losses,
        played: None,
        loss: 0.0,
        legal_moves: 20 + seeded.below(25),
        win_chance: 35.0 + 30.0 * unit(seeded),
        is_check: false,
        is_capture: false,
        is_recapture: false,
    }
}

/// Plays one of the options, as likely as they are.
fn choose(seeded: &mut Seeded, decision: &mut Decision, options: &Options) {
    let mut left = unit(seeded);
    for index in 0..decision.losses.len() {
        left -= options.of(Some(index));
        if left < 0.0 {
            decision.played = Some(index);
            decision.loss = decision.losses[index];
            return;
        }
    }
    decision.played = None;
    // A move that is not listed is worse, how much nobody knows.
    decision.loss = decision.loss_at(3) + 14.0 * unit(seeded) * unit(seeded);
}

fn seat(rating: f64) -> Seat {
    Seat { color: Color::White, rating, class: TimeClass::Blitz, outcome: Outcome::Won }
}

/// A game of a player who is labelled `label`, plays like a person of `strength`, and asks an engine on a share of his moves.
fn game(calibration: &Calibration, seeded: &mut Seeded, label: f64, strength: f64, help: f64) -> Evidence {
    let decisions: Vec<Decision> = (0..MOVES)
        .map(|index| {
            let mut decision = position(seeded, 13 + 2 * index);
            let options = if unit(seeded) < help {
                engine_options(&decision)
            } else {
                calibration.human.options(&decision, strength, TimeClass::Blitz)
            };
            choose(seeded, &mut decision, &options);
            decision
        })
        .collect();
    Evidence::of(calibration, seat(label), &decisions, &[])
}

/// The levels that so many players of this kind come to after ten games.
fn levels(players: usize, label: f64, strength: f64, help: f64) -> Vec<Level> {
    let calibration = bundled();
    let mut seeded = Seeded::new(label.to_bits() ^ strength.to_bits() ^ help.to_bits());
    (0..players)
        .map(|_| {
            let games: Vec<Evidence> =
                (0..10).map(|_| game(&calibration, &mut seeded, label, strength, help)).collect();
            let measured = Totals::over(&calibration, &games).measured(&calibration, None, Depth::Second);
            reached(&calibration.limits, &measured)
        })
        .collect()
}

fn at(levels: &[Level], level: Level) -> usize {
    levels.iter().filter(|reached| **reached >= level).count()
}

#[test]
fn people_who_improve_or_play_on_a_second_account_stay_clean() {
    // Himself, a master, 300 points of progress, and a second account.
    for (label, strength) in
        [(1500.0, 1500.0), (2200.0, 2200.0), (2700.0, 2700.0), (1500.0, 1800.0), (1700.0, 2300.0)]
    {
        let levels = levels(1_000, label, strength, 0.0);
        assert_eq!(at(&levels, Level::Hold), 0, "{label} {strength}");
        // Review is a second look, of which the player feels nothing; six hundred points are more than the method spans.
        let reviewed_max = if strength - label > 300.0 { 30 } else { 5 };
        let reviewed = at(&levels, Level::Review);
        assert!(reviewed <= reviewed_max, "{reviewed} of {label} {strength}");
    }
}

#[test]
fn an_engine_on_every_move_is_flagged_and_on_half_of_them_held() {
    assert!(at(&levels(100, 1500.0, 1500.0, 1.0), Level::Flag) >= 99);
    assert!(at(&levels(100, 1500.0, 1500.0, 0.5), Level::Review) >= 90);
}

#[test]
fn a_flag_needs_the_second_pass_and_one_game_never_says_anything() {
    let calibration = bundled();
    let mut seeded = Seeded::new(5);
    let games: Vec<Evidence> =
        (0..10).map(|_| game(&calibration, &mut seeded, 1500.0, 1500.0, 1.0)).collect();
    let totals = Totals::over(&calibration, &games);
    let at = |depth| reached(&calibration.limits, &totals.measured(&calibration, None, depth));
    assert_eq!((at(Depth::Standard), at(Depth::Second)), (Level::Hold, Level::Flag));
    let one = Totals::over(&calibration, &games[..1]).measured(&calibration, None, Depth::Second);
    assert_eq!(reached(&calibration.limits, &one), Level::NotEnoughData);
}

#[test]
fn a_level_is_left_only_when_the_evidence_has_clearly_fallen() {
    let calibration = bundled();
    let limits = &calibration.limits;
    let mut measured = Totals::default().measured(&calibration, None, Depth::Standard);
    (measured.games, measured.moves) = (5, 100);
    measured.log_bayes = limits.review_log_bayes;
    assert_eq!(next_level(limits, Level::Clean, &measured), Level::Review);
    measured.log_bayes = 0.9 * limits.review_log_bayes;
    assert_eq!(next_level(limits, Level::Review, &measured), Level::Review);
    assert_eq!(next_level(limits, Level::Clean, &measured), Level::Clean);
    measured.log_bayes = 0.7 * limits.review_log_bayes;
    assert_eq!(next_level(limits, Level::Review, &measured), Level::Clean);
    measured.log_bayes = 0.9 * limits.hold_log_bayes;
    assert_eq!(next_level(limits, Level::Hold, &measured), Level::Hold);
}

#[test]
fn times_that_have_nothing_to_do_with_the_positions_ask_for_a_second_look() {
    let calibration = bundled();
    let limits = &calibration.limits;
    let mut measured = Totals::default().measured(&calibration, None, Depth::Standard);
    (measured.time_games, measured.timed_moves, measured.correlation) = (5, 150, 0.0);
    assert_eq!(reached(limits, &measured), Level::Review);
    measured.time_games = 4;
    assert_eq!(reached(limits, &measured), Level::NotEnoughData);
    (measured.games, measured.moves, measured.log_bayes) = (5, 100, 3.5);
    (measured.time_games, measured.even_games) = (0, 3);
    assert_eq!(reached(limits, &measured), Level::Hold, "by moves and by time");
}

/// What an engine might say of a game: four moves in each position, the played one first, each a little worse than the one before. So
/// every ply counts that nothing speaks against.
fn evaluated(moves: &str, centipawns: i32) -> Vec<Decision> {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let played = PlayedGame::replay(&moves).expect("a game");
    let evaluations: Vec<PlyEvaluation> = moves
        .iter()
        .enumerate()
        .map(|(index, uci)| {
            let position = played.position(index).expect("one before each move");
            let others = position
                .legal_moves()
                .into_iter()
                .map(|legal| legal.to_uci(CastlingMode::Standard).to_string());
            let listed = std::iter::once((*uci).to_owned()).chain(others.filter(|other| other != uci));
            let lines = listed
                .zip(0..4)
                .map(|(uci, rank)| Candidate { uci, score: Score::Cp(centipawns - 12 * rank) });
            PlyEvaluation { lines: lines.collect() }
        })
        .collect();
    decisions(&played, &evaluations).expect("its own moves")
}

fn level_of(games: &[Vec<Decision>]) -> Level {
    let calibration = bundled();
    let evidence: Vec<Evidence> =
        games.iter().map(|decisions| Evidence::of(&calibration, seat(1500.0), decisions, &[])).collect();
    let measured = Totals::over(&calibration, &evidence).measured(&calibration, None, Depth::Second);
    reached(&calibration.limits, &measured)
}

#[test]
fn short_mates_theory_and_forced_moves_are_not_enough_data() {
    // I12, I14
    let fools_mate = evaluated("f2f3 e7e5 g2g4 d8h4", 0);
    let scholars_mate = evaluated("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", 0);
    let theory = evaluated(
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5 \
         d2d4 d8c7 b1d2 c5d4 c3d4 a5c6 d2b3 a6a5 c1e3 a5a4",
        20,
    );
    for game in [fools_mate, scholars_mate, theory.clone()] {
        assert_eq!(level_of(&vec![game; 10]), Level::NotEnoughData);
    }
    // The same moves one step out of the book would count: the test can fail.
    let known = theory.iter().filter(|decision| decision.exclusion == Some(Exclusion::Opening)).count();
    assert_eq!(known, 30);
    let unknown =
        evaluated("a2a4 h7h5 b2b4 g7g5 c2c4 f7f5 d2d4 e7e5 e2e3 d7d6 f2f3 c7c6 g2g3 b7b6 h2h3 a7a6", 20);
    assert!(unknown.iter().any(|decision| decision.exclusion.is_none()));
}

#[test]
fn games_that_are_decided_shuffled_or_forced_say_nothing_however_well_they_are_played() {
    // I14: the moves are the engine's every time.
    let quiet = "a2a4 h7h5 b2b4 g7g5 c2c4 f7f5 d2d4 e7e5 e2e3 d7d6 f2f3 c7c6 g2g3 b7b6 h2h3 a7a6";
    let won = evaluated(quiet, 900);
    let lost = evaluated(quiet, -900);
    // The knights go out and home again until the game is drawn.
    let shuffled = evaluated(&"g1f3 g8f6 f3g1 f6g8 ".repeat(12), 0);
    let forced: Vec<Decision> = evaluated(quiet, 0)
        .into_iter()
        .map(|decision| Decision { exclusion: Some(Exclusion::OneGoodMove), ..decision })
        .collect();
    for game in [won, lost, shuffled, forced] {
        assert_eq!(level_of(&vec![game; 20]), Level::NotEnoughData);
    }
}

#[test]
fn a_master_in_won_games_and_drawn_endings_is_not_looked_at() {
    // I14: with a decided or forced position nobody chooses.
    let mut seeded = Seeded::new(11);
    let won: Vec<Decision> = (0..60)
        .map(|index| Decision {
            exclusion: Some(Exclusion::Decided),
            played: Some(0),
            ..position(&mut seeded, 13 + 2 * index)
        })
        .collect();
    let repeated: Vec<Decision> = won
        .iter()
        .map(|decision| Decision { exclusion: Some(Exclusion::Repetition), ..decision.clone() })
        .collect();
    let forced: Vec<Decision> = won
        .iter()
        .map(|decision| Decision { exclusion: Some(Exclusion::Forced), ..decision.clone() })
        .collect();
    for game in [won, repeated, forced] {
        assert_eq!(level_of(&vec![game; 20]), Level::NotEnoughData);
    }
    assert_eq!(summarise(&[]).level, Level::NotEnoughData);
}

#[test]
fn the_same_games_give_the_same_bits() {
    // CAL-1
    let run = || {
        let calibration = bundled();
        let mut seeded = Seeded::new(3);
        let games: Vec<Evidence> =
            (0..5).map(|_| game(&calibration, &mut seeded, 1600.0, 1900.0, 0.3)).collect();
        Totals::over(&calibration, &games).bayes_factor().log.to_bits()
    };
    assert_eq!(run(), run());
}
