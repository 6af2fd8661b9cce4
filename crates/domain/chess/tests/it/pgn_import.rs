//! PGN of other programs.

use domain_chess::{
    EndReason, Event, Game, Outcome, TimeControl,
    pgn::{Headers, PgnGame, export},
    pgn_import::{Games, Imported, Refusal},
};

fn read(text: &str) -> Vec<Result<Imported, Refusal>> {
    Games::new(text.as_bytes()).map(|game| game.expect("memory does not fail")).collect()
}

fn only(text: &str) -> Imported {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).expect("a game that we take")
}

fn moves(game: &Imported) -> Vec<String> {
    let played = game.events.iter().filter_map(|event| match event {
        Event::MovePlayed(played) => Some(played.uci.to_string()),
        _ => None,
    });
    played.collect()
}

fn end(game: &Imported) -> Option<(Outcome, EndReason)> {
    match game.events.last() {
        Some(Event::Ended(ended)) => Some((ended.outcome, ended.reason)),
        _ => None,
    }
}

#[test]
fn a_game_with_clocks_is_read_with_the_time_of_each_move() {
    let game = only(
        "[Event \"Rated Blitz game\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"0-1\"]\n[UTCDate \"2025.05.01\"]\n\
         [UTCTime \"00:00:06\"]\n[TimeControl \"300+3\"]\n[Termination \"Time forfeit\"]\n\n\
         1. e4 { [%eval 0.2] [%clk 0:05:00] } 1... e5 { [%clk 0:04:58.5] } 2. Nf3 { [%clk 0:04:51] } 0-1\n",
    );
    assert_eq!(moves(&game), ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(end(&game), Some((Outcome::BlackWins, EndReason::Time)));
    let replayed = Game::replay(&game.events).expect("one game");
    assert_eq!(replayed.time_control(), Some(TimeControl::new(300_000, 3_000)));
    let times: Vec<i64> = game
        .events
        .iter()
        .filter_map(|event| match event {
            Event::MovePlayed(played) => Some(played.elapsed_ms),
            _ => None,
        })
        .collect();
    assert_eq!(times, [3_000, 4_500, 12_000]);
    assert_eq!(game.events[0].at_ms(), 1_746_057_606_000);
    assert_eq!(game.tag("White"), Some("a"));
}

#[test]
fn the_dialects_of_other_programs_are_read() {
    for (text, expected) in [
        // Variations within variations, annotations, a comment to the end of the line, an escape, no numbers, no tags.
        (
            "e4 $1 (1. d4 d5 (1... Nf6 2. c4) 2. c4) e5!? ; e4\n%escape\n2.Nf3 1/2-1/2",
            vec!["e2e4", "e7e5", "g1f3"],
        ),
        // Castling with zeros, promotions without and with a sign, a missing check sign.
        (
            "[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n[SetUp \"1\"]\n\n1. a8=Q Kd7 2. O-O 1-0",
            vec!["a7a8q", "e8d7", "e1g1"],
        ),
        (
            "[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. 0-0 Kd7 2. a8=Q+ 1-0",
            vec!["e1g1", "e8d7", "a7a8q"],
        ),
        // Windows line ends and a byte order mark.
        ("\u{feff}[Event \"x\"]\r\n[Result \"*\"]\r\n\r\n1. e4 e5\r\n*\r\n", vec!["e2e4", "e7e5"]),
        // Black begins.
        ("[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Ke7 2. e4 *", vec!["e8e7", "e2e4"]),
    ] {
        let game = only(text);
        assert_eq!(moves(&game), expected, "{text}");
        Game::replay(&game.events).expect("the events are one game");
    }
}

#[test]
fn what_a_game_ended_by_is_read_from_the_board_and_the_words() {
    for (text, expected) in [
        ("1. f3 e5 2. g4 Qh4# 1-0", Some((Outcome::BlackWins, EndReason::Checkmate))),
        ("1. e4 1-0", Some((Outcome::WhiteWins, EndReason::Resignation))),
        ("[Termination \"Abandoned\"]\n\n1. e4 1-0", Some((Outcome::WhiteWins, EndReason::Abandonment))),
        ("1. e4 1/2-1/2", Some((Outcome::Draw, EndReason::Agreement))),
        (
            "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2",
            Some((Outcome::Draw, EndReason::ClaimThreefold)),
        ),
        ("[Result \"1-0\"]\n\n1. e4", Some((Outcome::WhiteWins, EndReason::Resignation))),
        ("1. e4 *", None),
    ] {
        assert_eq!(end(&only(text)), expected, "{text}");
    }
}

#[test]
fn a_game_that_cannot_be_taken_is_refused_and_the_others_are_not() {
    let text = "[Event \"1\"]\n\n1. e4 e5 2. Ke3 1-0\n\n[Event \"2\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\
                [Event \"3\"]\n[FEN \"rubbish\"]\n\n1. e4 *\n\n[Event \"4\"]\n\n*\n\n[Event \"5\"]\n\n1. e4 *\n";
    let games = read(text);
    assert_eq!(games.len(), 5);
    assert_eq!(games[0], Err(Refusal::Move { ply: 3 }));
    assert_eq!(games[1], Err(Refusal::Variant("Atomic".to_owned())));
    assert!(matches!(games[2], Err(Refusal::Start(_))));
    assert_eq!(games[3], Err(Refusal::NoMoves));
    assert_eq!(moves(games[4].as_ref().expect("taken")), ["e2e4"]);
    let endless = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(600);
    assert_eq!(read(&endless), [Err(Refusal::TooLong)]);
}

#[test]
fn what_we_write_is_read_again() {
    let game = only("[TimeControl \"60+1\"]\n\n1. e4 { [%clk 0:00:59] } e5 { [%clk 0:00:58.5] } 1-0");
    let again = only(&export(&Headers::default(), &PgnGame::from_events(&game.events)));
    assert_eq!(again.events, game.events);
}
