//! The first look at a game, before any engine (`FAIR-9`).

use crate::screen::{EndedGame, Ending, Kind, PairRecord, Urgency, screen, urgency};
use crate::{ByColor, Color};

/// Forty moves of a person: quick in the opening, long where it matters, quick again.
fn human() -> Vec<f64> {
    (0..40).map(|at: u32| 0.6 + f64::from(at * 7 % 13) * f64::from(at * 5 % 11) * 0.13).collect()
}

fn game() -> EndedGame {
    EndedGame {
        plies: 82,
        loser: Some(Color::Black),
        ending: Ending::PlayedOut,
        seconds: ByColor { white: human(), black: human() },
        pair: PairRecord { games: 1, won: ByColor { white: 1, black: 0 } },
    }
}

fn kinds(game: &EndedGame) -> Vec<(Kind, Option<Color>)> {
    screen(game).iter().map(|notice| (notice.kind, notice.color)).collect()
}

#[test]
fn an_ordinary_game_is_looked_at_in_its_turn() {
    assert_eq!(kinds(&game()), []);
    assert_eq!(urgency(&screen(&game())), Urgency::InTurn);
}

#[test]
fn times_that_hardly_vary_and_long_runs_of_one_time_are_noticed_of_the_side_whose_they_are() {
    let even: Vec<f64> = (0..40).map(|at| 4.0 + f64::from(at % 5) * 0.6).collect();
    let even = EndedGame { seconds: ByColor { white: human(), black: even }, ..game() };
    assert_eq!(kinds(&even), [(Kind::EvenTimes, Some(Color::Black))]);
    let mut flat = human();
    flat[20..32].fill(30.0);
    let flat = EndedGame { seconds: ByColor { white: flat, black: human() }, ..game() };
    assert_eq!(kinds(&flat), [(Kind::FlatTimes, Some(Color::White))]);
    assert_eq!((screen(&flat)[0].observed, urgency(&screen(&flat))), (12.0, Urgency::Early));
}

#[test]
fn clocks_that_stood_or_tell_too_little_say_nothing() {
    // Frozen relay clocks give zeros, or one time for every move.
    for seconds in [vec![0.0; 40], vec![5.0; 40], vec![2.0; 14], Vec::new()] {
        let stood = EndedGame { seconds: ByColor { white: seconds.clone(), black: seconds }, ..game() };
        assert_eq!(kinds(&stood), []);
    }
}

#[test]
fn a_game_given_up_within_eight_turns_is_noticed_and_a_short_mate_is_only_short() {
    // I12, I16
    let mate = EndedGame { plies: 4, seconds: ByColor::default(), ..game() };
    assert_eq!(kinds(&mate), [(Kind::TooShort, None)]);
    assert_eq!(urgency(&screen(&mate)), Urgency::InTurn);
    let given_up = EndedGame { plies: 16, ending: Ending::GivenUp, ..mate };
    assert_eq!(kinds(&given_up), [(Kind::GivenUpEarly, Some(Color::Black))]);
    let later = EndedGame { plies: 17, ..given_up };
    assert_eq!(kinds(&later), []);
}

#[test]
fn a_pair_of_whom_one_wins_everything_is_noticed_from_the_third_game_on() {
    let won = |games, white| {
        let won = ByColor { white, black: 0 };
        kinds(&EndedGame { pair: PairRecord { games, won }, ..game() })
    };
    assert_eq!(won(2, 2), []);
    assert_eq!(won(3, 3), [(Kind::OneSidedPair, Some(Color::White))]);
    assert_eq!(won(4, 3), [], "one was drawn or lost");
    let nothing = EndedGame { pair: PairRecord::default(), ..game() };
    assert_eq!(kinds(&nothing), []);
}
