//! Reports of whole games.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Square};

use super::properties::{walk, walk_evaluations};
use crate::report::GAME_ELIGIBLE_PLIES_MIN;
use crate::*;

const FOOLS_MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];
const SCHOLARS_MATE: [&str; 7] = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"];

fn played(moves: &[&str]) -> PlayedGame {
    PlayedGame::replay(moves).expect("the moves are legal")
}

fn played_from(fen: &str, moves: &[&str]) -> PlayedGame {
    let fen: Fen = fen.parse().expect("a FEN");
    let start: Chess = fen.into_position(CastlingMode::Standard).expect("a legal position");
    PlayedGame::replay_from(start, moves).expect("the moves are legal")
}

fn listed(lines: &[(&str, Score)]) -> PlyEvaluation {
    let candidate = |(uci, score): &(&str, Score)| Candidate { uci: (*uci).to_owned(), score: *score };
    PlyEvaluation { lines: lines.iter().map(candidate).collect() }
}

fn unknown() -> PlyEvaluation {
    PlyEvaluation::default()
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-9
}

/// A report in which only the ply at `index` and the one after it are analysed.
fn ply_of(game: &PlayedGame, index: usize, list: PlyEvaluation, next: PlyEvaluation) -> PlyReport {
    let mut evaluations = vec![unknown(); game.plies().len() + 1];
    evaluations[index] = list;
    evaluations[index + 1] = next;
    report(game, &evaluations).expect("the evaluations fit").plies[index].clone()
}

#[test]
fn a_mate_by_black_is_blacks_in_whites_view_and_the_mating_move_loses_nothing() {
    // I06: the engine says `mate 1` for the side to move, which is Black.
    let game = played(&FOOLS_MATE);
    let evaluations = [
        unknown(),
        listed(&[("e7e5", Score::Cp(80)), ("d7d5", Score::Cp(70))]),
        listed(&[("e2e4", Score::Cp(-90)), ("d2d3", Score::Cp(-100))]),
        listed(&[("d8h4", Score::Mate(1)), ("d7d5", Score::Cp(300))]),
    ];
    let report = report(&game, &evaluations).expect("the evaluations fit");
    let mating = &report.plies[3];
    assert_eq!(mating.before.map(|e| e.to_string()).as_deref(), Some("-M1"));
    assert_eq!(mating.after, Some(Evaluation::Mate { winner: Color::Black, moves: 0 }));
    assert!(mating.is_best());
    assert_eq!(mating.loss, Some(Loss::default()));
    assert_eq!((mating.accuracy, mating.judgement), (Some(100.0), None));
    // White's last move let the mate happen.
    assert_eq!(report.plies[2].judgement, Some(Judgement::Blunder));
    assert_eq!(report.sides.black.accuracy, Some(100.0));
    assert!(report.sides.white.accuracy.expect("two moves") < 60.0);
}

#[test]
fn a_blunder_is_counted_for_the_side_that_made_it() {
    // I07: White's view is -0.2 before Black's second move and +5.0 after it.
    let game = played(&["e2e4", "e7e5", "d1h5", "g7g6", "h5e5"]);
    let evaluations = [
        unknown(),
        listed(&[("e7e5", Score::Cp(-20))]),
        listed(&[("g1f3", Score::Cp(25))]),
        listed(&[("b8c6", Score::Cp(20)), ("d8e7", Score::Cp(10))]),
        listed(&[("h5e5", Score::Cp(500)), ("h5f3", Score::Cp(-40))]),
        listed(&[("d8e7", Score::Cp(-520))]),
    ];
    let report = report(&game, &evaluations).expect("the evaluations fit");
    assert_eq!(report.plies[3].judgement, Some(Judgement::Blunder));
    let (white, black) = (&report.sides.white, &report.sides.black);
    assert_eq!((white.judgements.blunders, black.judgements.blunders), (0, 1));
    assert!(near(white.accuracy.expect("three moves"), 91.611_100_259_396_47));
    assert!(near(black.accuracy.expect("two moves"), 25.162_369_193_094_49));
    // 20 before, -500 after: 520 centipawns, averaged with a first move that lost nothing.
    assert!(near(black.mean_loss.expect("two moves").centipawns, 260.0));
    assert_eq!((white.measured_plies, black.measured_plies), (2, 2));
}

#[test]
fn very_short_games_say_nothing_however_many_there_are() {
    // I12, FAIR-5
    for moves in [&FOOLS_MATE[..], &SCHOLARS_MATE] {
        let game = played(moves);
        let report = report(&game, &vec![unknown(); moves.len()]).expect("the evaluations fit");
        for side in [&report.sides.white, &report.sides.black] {
            assert_eq!((side.level, side.eligible_plies), (Level::NotEnoughData, 0));
            let summary = summarise(&[side; 10]);
            assert_eq!((summary.games, summary.level), (10, Level::NotEnoughData));
        }
    }
}

#[test]
fn no_game_and_no_ply_give_finite_results() {
    // I09
    let empty = report(&played(&[]), &[]).expect("no evaluations fit no plies");
    assert_eq!(empty.plies, []);
    let side = &empty.sides.white;
    assert_eq!((side.accuracy, side.mean_loss, side.level), (None, None, Level::NotEnoughData));
    let summary = summarise(&[]);
    assert_eq!((summary.mean_accuracy, summary.level), (None, Level::NotEnoughData));
}

#[test]
fn the_mean_accuracy_of_a_player_is_the_plain_mean_of_his_games() {
    // I09
    let side = |accuracy| {
        let empty = report(&played(&[]), &[]).expect("no evaluations fit no plies");
        SideReport { accuracy, ..empty.sides.white }
    };
    let games = [side(Some(80.0)), side(Some(60.0)), side(None), side(Some(40.0))];
    let games: Vec<&SideReport> = games.iter().collect();
    assert_eq!(summarise(&games).mean_accuracy, Some(60.0));
}

#[test]
fn a_long_game_is_clean_and_two_of_them_speak_about_a_player() {
    let game = walk(100, 3);
    let report = report(&game, &walk_evaluations(&game, |_, rank| 20 - 5 * rank)).expect("they fit");
    let side = &report.sides.white;
    assert!(side.eligible_plies >= GAME_ELIGIBLE_PLIES_MIN, "{side:?}");
    assert_eq!(side.level, Level::Clean);
    assert_eq!(summarise(&[side]).level, Level::NotEnoughData, "one game never speaks about a player");
    assert_eq!(summarise(&[side, side]).level, Level::Clean);
    assert_eq!(summarise(&[side, side]).eligible_plies, 2 * side.eligible_plies);
}

#[test]
fn matches_are_counted_over_eligible_plies_only() {
    // I14: the engine's move is always the one played, yet only eligible plies count.
    let game = walk(80, 5);
    let mut evaluations = walk_evaluations(&game, |_, rank| 20 - 5 * rank);
    for (evaluation, ply) in evaluations.iter_mut().zip(game.plies()) {
        evaluation.lines.retain(|line| line.uci != ply.uci);
        evaluation.lines.insert(0, Candidate { uci: ply.uci.clone(), score: Score::Cp(30) });
    }
    let report = report(&game, &evaluations).expect("they fit");
    for side in [&report.sides.white, &report.sides.black] {
        assert_eq!(side.best_matches, side.eligible_plies);
        assert!(side.eligible_plies < side.plies);
        assert_eq!(side.exclusions.count(Exclusion::Opening), 6);
        assert_eq!(side.mean_loss, Some(Loss::default()));
    }
}

#[test]
fn a_forced_ply_does_not_count() {
    // I14
    let game = played_from("6Rk/8/7K/8/8/8/8/8 b - - 0 1", &["h8g8"]);
    assert_eq!(game.plies()[0].legal_moves, 1);
    assert_eq!(game.ending(), Some(Evaluation::Centipawns(0)), "two kings are left");
    let forced = Circumstances { legal_moves: 1, ..choice() };
    assert_eq!(exclusion(&forced), Some(Exclusion::Forced));
}

/// A ply whose best, second and worst listed moves are worth so much.
fn all_of(best: i32, second: i32, worst: i32) -> Circumstances {
    let [best, second, worst] = [best, second, worst].map(|value| Some(Evaluation::Centipawns(value)));
    Circumstances { best, second, worst, ..choice() }
}

/// A ply that counts.
fn choice() -> Circumstances {
    Circumstances {
        moves_before: 6,
        is_known_opening: false,
        legal_moves: 3,
        is_repetition: false,
        is_recapture: false,
        best: Some(Evaluation::Centipawns(600)),
        second: Some(Evaluation::Centipawns(580)),
        worst: Some(Evaluation::Centipawns(400)),
    }
}

#[test]
fn each_reason_excludes_and_the_limits_belong_to_the_eligible_side() {
    // I14
    assert_eq!(exclusion(&choice()), None);
    let mate = Evaluation::Mate { winner: Color::White, moves: 9 };
    let centipawns = |cp| Some(Evaluation::Centipawns(cp));
    // The gap from 0 to -250 is 21.5 points, to -230 it is 20.0 less a little.
    for (ply, reason) in [
        (Circumstances { moves_before: 5, ..choice() }, Some(Exclusion::Opening)),
        (Circumstances { is_known_opening: true, ..choice() }, Some(Exclusion::Opening)),
        (Circumstances { legal_moves: 2, ..choice() }, Some(Exclusion::FewMoves)),
        (Circumstances { is_repetition: true, ..choice() }, Some(Exclusion::Repetition)),
        (Circumstances { is_recapture: true, ..choice() }, Some(Exclusion::Recapture)),
        (all_of(5, 0, -5), Some(Exclusion::Drawn)),
        (all_of(0, 0, -6), None),
        (all_of(6, 0, 0), None),
        (Circumstances { best: None, ..choice() }, Some(Exclusion::NotAnalysed)),
        (Circumstances { second: None, ..choice() }, Some(Exclusion::NotAnalysed)),
        (Circumstances { best: centipawns(601), ..choice() }, Some(Exclusion::Decided)),
        (Circumstances { best: centipawns(-601), second: None, ..choice() }, Some(Exclusion::Decided)),
        (Circumstances { best: Some(mate), ..choice() }, Some(Exclusion::Decided)),
        (
            Circumstances { best: centipawns(0), second: centipawns(-250), ..choice() },
            Some(Exclusion::OneGoodMove),
        ),
        (Circumstances { best: centipawns(0), second: centipawns(-220), ..choice() }, None),
        (Circumstances { best: centipawns(0), second: centipawns(220), ..choice() }, None),
        (Circumstances { moves_before: 0, legal_moves: 1, best: None, ..choice() }, Some(Exclusion::Opening)),
    ] {
        assert_eq!(exclusion(&ply), reason, "{ply:?}");
    }
}

#[test]
fn replay_knows_repetitions_recaptures_and_legal_moves() {
    let game = played(&["g1f3", "g8f6", "f3g1", "f6g8", "e2e4", "d7d5", "e4d5", "d8d5"]);
    let repeated: Vec<bool> = game.plies().iter().map(|ply| ply.is_repetition).collect();
    assert_eq!(repeated, [false, false, false, false, true, false, false, false]);
    assert_eq!(game.plies()[7].captured_on, Some(Square::D5));
    assert_eq!(game.plies()[6].captured_on, None);
    assert_eq!(game.plies()[0].legal_moves, 20);
    // A pawn taken in passing can be taken back where the taking pawn stands.
    let passing = played(&["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "c7d6"]);
    assert_eq!(passing.plies()[5].captured_on, Some(Square::D6));
    // Castling is written as the king's step, however it came.
    let castled = played(&["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1h1"]);
    assert_eq!(castled.plies()[6].uci, "e1g1");
    let refused = PlayedGame::replay(&["e2e4", "e2e4"]).map(|game| game.plies().len());
    assert_eq!(refused, Err(ReplayError::IllegalMove { index: 1, uci: "e2e4".to_owned() }));
}

#[test]
fn a_best_move_that_takes_back_is_a_recapture() {
    let mut moves = vec!["g1f3", "g8f6", "b1c3", "b8c6", "h2h3", "h7h6", "a2a3", "a7a6", "g2g3", "g7g6"];
    moves.extend(["b2b3", "b7b6", "e2e4", "d7d5", "e4d5", "c8b7"]);
    let game = played(&moves);
    let take_back = listed(&[("f6d5", Score::Cp(10)), ("c8b7", Score::Cp(-20))]);
    assert_eq!(ply_of(&game, 15, take_back, unknown()).exclusion, Some(Exclusion::Recapture));
    let quiet = listed(&[("c8b7", Score::Cp(10)), ("f6d5", Score::Cp(-20))]);
    assert_eq!(ply_of(&game, 15, quiet, unknown()).exclusion, None);
}

#[test]
fn the_loss_of_a_move_not_listed_is_capped_at_the_worst_listed() {
    let game = played(&["e2e4", "e7e5"]);
    let list = || listed(&[("c7c5", Score::Cp(50)), ("e7e6", Score::Cp(20))]);
    let loss = |next: PlyEvaluation| ply_of(&game, 1, list(), next).loss.map(|loss| loss.centipawns);
    // The next position is White's: its score is against Black.
    assert_eq!(loss(listed(&[("g1f3", Score::Cp(100))])), Some(150.0));
    assert_eq!(loss(listed(&[("g1f3", Score::Cp(-90))])), Some(30.0), "no better than the worst listed");
    assert_eq!(loss(unknown()), None);
    // A move that is listed keeps its own score, whatever the next position says.
    let listed_move = listed(&[("c7c5", Score::Cp(50)), ("e7e5", Score::Cp(20))]);
    let ply = ply_of(&game, 1, listed_move, listed(&[("g1f3", Score::Cp(900))]));
    let loss = ply.loss.expect("listed");
    assert!(near(loss.centipawns, 30.0));
    assert!(near(loss.win_chance_points, win_chance(50) - win_chance(20)));
}

#[test]
fn the_engines_own_choice_is_never_judged() {
    // Two searches may differ by more than an inaccuracy; that is the engine's change of mind.
    let game = played(&["e2e4", "e7e5"]);
    let next = || listed(&[("g1f3", Score::Cp(90))]);
    let best = ply_of(&game, 1, listed(&[("e7e5", Score::Cp(0))]), next());
    assert_eq!(best.judgement, None);
    let other = ply_of(&game, 1, listed(&[("c7c5", Score::Cp(0))]), next());
    assert_eq!(other.judgement, Some(Judgement::Inaccuracy));
}

#[test]
fn evaluations_of_another_game_are_refused() {
    // I02, FAIR-4
    let game = played(&["e2e4", "e7e5"]);
    let one = listed(&[("e7e5", Score::Cp(0))]);
    let foreign = Err(ReportError::ForeignMove { index: 0, uci: "e7e5".to_owned() });
    assert_eq!(report(&game, &[one.clone(), one.clone()]), foreign);
    let doubled = listed(&[("e2e4", Score::Cp(3)), ("e2e4", Score::Cp(2))]);
    assert!(matches!(report(&game, &[doubled, one]), Err(ReportError::ForeignMove { .. })));
    for evaluations in [0, 1, 4] {
        let wrong = report(&game, &vec![unknown(); evaluations]);
        assert_eq!(wrong, Err(ReportError::WrongCount { evaluations, plies: 2 }));
    }
}
