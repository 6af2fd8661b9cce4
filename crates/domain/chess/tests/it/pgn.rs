//! Games as PGN, and back through another reader.

use std::ops::ControlFlow;

use domain_chess::{
    Chess, Color, RuleSet, StartPosition,
    pgn::{Headers, PgnGame, export},
};
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{EnPassantMode, Position, fen::Fen};

use crate::{
    given::{Given, city, from_fen, game},
    lists::{L9, L15B},
};

/// What an independent reader makes of a text.
#[derive(Default, Debug)]
struct Read {
    tags: Vec<(String, String)>,
    position: Chess,
    comments: Vec<String>,
    moves: usize,
}

impl Visitor for Read {
    type Tags = ();
    type Movetext = ();
    type Output = Result<(), String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, ()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let name = String::from_utf8_lossy(name).into_owned();
        let value = value.decode_utf8_lossy().into_owned();
        if name == "FEN" {
            self.position = StartPosition::from_fen(&value).expect("we wrote it").position().clone();
        }
        self.tags.push((name, value));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Self::Output, ()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<Self::Output> {
        match san.san.to_move(&self.position) {
            Ok(m) => {
                self.position.play_unchecked(m);
                self.moves += 1;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(format!("{san}: {error}"))),
        }
    }

    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        self.comments.push(
            String::from_utf8_lossy(comment.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" "),
        );
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) -> Self::Output {
        Ok(())
    }
}

impl Read {
    fn of(text: &str) -> Read {
        let mut read = Read::default();
        Reader::new(text.as_bytes())
            .read_game(&mut read)
            .expect("no i/o")
            .expect("a game")
            .expect("legal moves");
        read
    }

    fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }
}

fn written(given: &Given) -> String {
    export(&Headers::default(), &PgnGame::from_events(&given.events))
}

#[test]
fn a_game_is_written_with_roster_clocks_and_times() {
    let mut given = city();
    given.after_ms(4_000).play("f2f3");
    given.after_ms(3_250).play("e7e5");
    given.after_ms(1_500).play("g2g4");
    given.after_ms(2_000).play("d8h4");
    let headers = Headers {
        event: "Rated game".to_owned(),
        site: "stakemate".to_owned(),
        date: "2026.01.31".to_owned(),
        round: String::new(),
        white: "Ann \"A\" \\ Lee\n".to_owned(),
        black: "Bob".to_owned(),
        more: vec![("WhiteElo".to_owned(), "1512".to_owned()), ("bad name".to_owned(), "x".to_owned())],
    };
    let text = export(&headers, &PgnGame::from_events(&given.events));
    let expected = "[Event \"Rated game\"]\n[Site \"stakemate\"]\n[Date \"2026.01.31\"]\n[Round \"-\"]\n\
        [White \"Ann \\\"A\\\" \\\\ Lee\"]\n[Black \"Bob\"]\n[Result \"0-1\"]\n[WhiteElo \"1512\"]\n\
        [TimeControl \"180+2\"]\n[Termination \"normal\"]\n[EndReason \"checkmate\"]\n\n\
        1. f3 { [%clk 0:03:02] [%emt 0:00:04] } 1... e5 { [%clk 0:03:02]\n\
        [%emt 0:00:03.2] } 2. g4 { [%clk 0:03:02.5] [%emt 0:00:01.5] } 2... Qh4# {\n\
        [%clk 0:03:02] [%emt 0:00:02] } 0-1\n";
    assert_eq!(text, expected);
}

#[test]
fn what_is_written_reads_back_to_the_same_position() {
    // A36, A37
    let mut castled = game(RuleSet::fide(), None);
    castled.play_all(L15B);
    let mut mated = from_fen(RuleSet::fide(), None, "R7/8/8/8/3N4/1BB5/pr6/kb2K2R w K - 0 1");
    mated.play_all("b3a2 b1a2 e1g1");
    let mut long = city();
    long.play_all(L9);
    let mut black_first = from_fen(RuleSet::fide(), None, "4k3/8/8/8/8/8/4r3/K7 b - - 0 40");
    black_first.play_all("e2e7 a1b1");
    for given in [castled, mated, long, black_first] {
        let text = written(&given);
        let read = Read::of(&text);
        assert_eq!(read.fen(), given.game.fen(), "{text}");
        assert_eq!(read.moves, given.game.ply() as usize);
        assert_eq!(read.comments.len(), read.moves);
        assert_eq!(read.tag("Result"), Some(given.end().map_or("*", |(outcome, _)| outcome.pgn())));
        assert!(text.lines().all(|line| line.starts_with('[') || line.len() <= 79), "{text}");
    }
}

#[test]
fn a_game_from_another_position_says_so_and_numbers_its_moves_from_there() {
    let fen = "4k3/8/8/8/8/8/4r3/K7 b - - 0 40";
    let mut given = from_fen(RuleSet::fide(), None, fen);
    given.play_all("e2e7 a1b1");
    let text = written(&given);
    let read = Read::of(&text);
    assert_eq!((read.tag("SetUp"), read.tag("FEN")), (Some("1"), Some(fen)));
    assert!(text.contains("\n40... Re7 { [%emt 0:00:00] } 41. Kb1 {"), "{text}");
    assert_eq!((read.tag("TimeControl"), read.tag("Termination")), (Some("-"), Some("unterminated")));
}

#[test]
fn the_termination_tag_has_the_words_of_the_standard() {
    let ended_by = |end: &dyn Fn(&mut Given)| {
        let mut given = city();
        given.play_all("e2e4 e7e5");
        end(&mut given);
        Read::of(&written(&given)).tag("Termination").map(str::to_owned)
    };
    let flagged = ended_by(&|given| {
        given.flag_falls();
    });
    let resigned = ended_by(&|given| {
        given.resign(Color::White).expect("resigned");
    });
    let gone = ended_by(&|given| {
        given.gone(Color::White).expect("gone");
        given.flag_falls();
    });
    assert_eq!(flagged.as_deref(), Some("time forfeit"));
    assert_eq!(resigned.as_deref(), Some("normal"));
    assert_eq!(gone.as_deref(), Some("abandoned"));
}
