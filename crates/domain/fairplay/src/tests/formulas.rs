//! The formulas against numbers computed independently, in another language and from other forms of the formulas
//! (`W = 100/(1 + e^(−k·cp))`, library standard deviation and harmonic mean).

use crate::evaluation::START;
use crate::{Color, Evaluation, Judgement, Score, game_accuracy, mean_accuracy, move_accuracy, win_chance};

fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

/// Evaluations in White's view after each ply, with the start position before them.
fn positions(centipawns: &[i32]) -> Vec<Option<Evaluation>> {
    let after = centipawns.iter().map(|&cp| Some(Evaluation::Centipawns(cp)));
    std::iter::once(Some(START)).chain(after).collect()
}

#[test]
fn the_win_chance_follows_the_published_curve() {
    for (centipawns, percent) in [
        (0, 50.0),
        (15, 51.380_429_102_931_55),
        (35, 53.217_368_341_061_71),
        (100, 59.102_589_719_161_29),
        (-100, 40.897_410_280_838_706),
        (-250, 28.485_195_256_375_97),
        (500, 86.307_165_996_818_28),
        (1000, 97.544_743_634_143_23),
        (1001, 97.544_743_634_143_23),
        (i32::MAX, 97.544_743_634_143_23),
        (i32::MIN, 100.0 - 97.544_743_634_143_23),
    ] {
        assert_near(win_chance(centipawns), percent);
    }
}

#[test]
fn the_accuracy_of_a_move_follows_the_published_curve() {
    for (drop, accuracy) in [
        (-10.0, 100.0),
        (0.0, 100.0),
        (0.5, 98.778_004_848_989_9),
        (5.0, 80.815_299_920_414_36),
        (10.0, 64.579_828_453_720_67),
        (20.0, 41.016_818_741_417_126),
        (50.0, 9.527_819_142_930_593),
        (95.0, 0.0),
        (100.0, 0.0),
    ] {
        assert_near(move_accuracy(100.0, 100.0 - drop), accuracy);
    }
}

#[test]
fn the_accuracy_of_a_game_weighs_by_volatility_and_takes_the_harmonic_mean() {
    let accuracy = game_accuracy(Color::White, &positions(&[30, 20, 25, -40, -35, 10]));
    assert_near(accuracy.white.expect("three moves"), 100.0);
    assert_near(accuracy.black.expect("three moves"), 94.032_267_871_417_22);
    // Long enough for a window of four positions, and for the repeated first window.
    let long: Vec<i32> = (0..43).map(|i| (37 * i * i + 11 * i) % 401 - 200).collect();
    let accuracy = game_accuracy(Color::White, &positions(&long));
    assert_near(accuracy.white.expect("22 moves"), 76.678_709_653_818_32);
    assert_near(accuracy.black.expect("21 moves"), 77.622_740_643_711_98);
    // Moves that lost everything count as one in the harmonic mean.
    let accuracy = game_accuracy(Color::White, &positions(&[20, -30, -1000, 1000]));
    assert_near(accuracy.white.expect("two moves"), 19.121_998_385_587_982);
    assert_near(accuracy.black.expect("two moves"), 9.030_536_869_348_829);
}

#[test]
fn the_side_that_moves_first_may_be_black() {
    let mirrored: Vec<_> =
        [-15, -30, -20, -25, 40, 35, -10].map(|cp| Some(Evaluation::Centipawns(cp))).to_vec();
    let accuracy = game_accuracy(Color::Black, &mirrored);
    assert_near(accuracy.black.expect("three moves"), 100.0);
    assert_near(accuracy.white.expect("three moves"), 94.032_267_871_417_22);
}

#[test]
fn nothing_to_average_is_no_number_but_not_nan() {
    // I09
    assert_eq!(mean_accuracy(&[]), None);
    for short in [&[][..], &[None], &[Some(START)], &[None, Some(START), None]] {
        let accuracy = game_accuracy(Color::White, short);
        assert_eq!((accuracy.white, accuracy.black), (None, None));
    }
    let accuracy = game_accuracy(Color::White, &positions(&[15]));
    assert_eq!((accuracy.white, accuracy.black), (Some(100.0), None));
}

#[test]
fn the_mean_over_games_is_the_plain_mean() {
    // I09
    assert_eq!(mean_accuracy(&[80.0, 60.0, 40.0]), Some(60.0));
}

#[test]
fn a_move_beside_a_missing_position_does_not_count() {
    let mut gapped = positions(&[30, 20, 25, -40, -35, 10]);
    gapped[5] = None;
    // Black's only doubtful move, the last, came from the missing position.
    let accuracy = game_accuracy(Color::White, &gapped);
    assert_near(accuracy.white.expect("two moves"), 100.0);
    assert_near(accuracy.black.expect("two moves"), 100.0);
}

#[test]
fn scores_turn_into_whites_view_in_one_place() {
    // I06, FAIR-2
    let white = |score| Evaluation::seen_from(Color::White, score);
    let black = |score| Evaluation::seen_from(Color::Black, score);
    let mate = |winner, moves| Evaluation::Mate { winner, moves };
    assert_eq!(white(Score::Cp(35)), Evaluation::Centipawns(35));
    assert_eq!(black(Score::Cp(35)), Evaluation::Centipawns(-35));
    assert_eq!(black(Score::Cp(i32::MIN)), Evaluation::Centipawns(i32::MAX));
    assert_eq!(white(Score::Mate(3)), mate(Color::White, 3));
    assert_eq!(black(Score::Mate(1)), mate(Color::Black, 1));
    assert_eq!(black(Score::Mate(-2)), mate(Color::White, 2));
    assert_eq!(white(Score::Mate(0)), mate(Color::Black, 0));
    assert_eq!(white(Score::Mate(i32::MIN)), mate(Color::Black, 1 << 31));
    assert_eq!(black(Score::Mate(1)).to_string(), "-M1");
    assert_eq!(black(Score::Cp(120)).to_string(), "-1.20");
    assert_eq!(white(Score::Cp(5)).to_string(), "+0.05");
    assert_eq!(black(Score::Mate(1)).centipawns(), -1000);
    assert_eq!(black(Score::Mate(1)).centipawns_for(Color::Black), 1000);
}

#[test]
fn judgements_begin_at_their_limits() {
    // A point of percent is 0.02 on the scale of −1 to 1.
    for (drop, judgement) in [
        (-20.0, None),
        (4.99, None),
        (5.01, Some(Judgement::Inaccuracy)),
        (9.99, Some(Judgement::Inaccuracy)),
        (10.01, Some(Judgement::Mistake)),
        (14.99, Some(Judgement::Mistake)),
        (15.01, Some(Judgement::Blunder)),
        (95.0, Some(Judgement::Blunder)),
    ] {
        assert_eq!(Judgement::of(100.0, 100.0 - drop), judgement, "{drop}");
    }
}
