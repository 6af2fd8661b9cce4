//! Writing a game as PGN.
//!
//! Each move carries what the mover's clock showed after it and how long it took, as measured by the server:
//! `1. e4 { [%clk 0:03:00] [%emt 0:00:03.2] }`. Both are hours, minutes and seconds; tenths are written when there are any and
//! rounded down, so that no clock ever shows time it did not have. A game without clocks has only `%emt`.

use std::fmt::Write as _;

use shakmaty::{Color, Position as _, san::SanPlus};

use crate::{
    event::{Event, MovePlayed},
    outcome::{EndReason, Outcome},
    position::StartPosition,
    time_control::TimeControl,
};

/// The longest line of move text that is written, as PGN's export format asks.
const LINE_BYTES_MAX: usize = 79;

/// The part of the Seven Tag Roster that the game itself does not know, and further tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Name of the tournament or the like.
    pub event: String,
    /// Where it was played.
    pub site: String,
    /// `YYYY.MM.DD`, or empty when unknown.
    pub date: String,
    /// Round, or empty when there is none.
    pub round: String,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// Tags that follow the roster, for example `("WhiteElo", "1512")`. A tag whose name is not letters, digits and
    /// underscores is left out.
    pub more: Vec<(String, String)>,
}

/// One move as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub san: SanPlus,
    /// What the mover's clock showed after it; `None` without clocks.
    pub clock_ms: Option<i64>,
    /// How long it took.
    pub elapsed_ms: i64,
}

/// A game as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// Where the pieces stood.
    pub start_position: StartPosition,
    /// The clocks, if any.
    pub time_control: Option<TimeControl>,
    /// The moves in their order.
    pub moves: Vec<PgnMove>,
    /// How it ended; `None` while it is being played.
    pub end: Option<(Outcome, EndReason)>,
}

impl PgnGame {
    /// The game that these events tell of. Events that PGN has no words for are passed over.
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> PgnGame {
        let mut game = PgnGame::default();
        let mut mover = Color::White;
        for event in events {
            match event {
                Event::Started(started) => {
                    game.start_position = started.start_position.clone();
                    game.time_control = started.time_control;
                    mover = game.start_position.position().turn();
                }
                Event::MovePlayed(played) => {
                    game.moves.push(PgnMove::of(played, mover));
                    mover = mover.other();
                }
                Event::Ended(ended) => game.end = Some((ended.outcome, ended.reason)),
                Event::DrawOffered { .. }
                | Event::DrawDeclined { .. }
                | Event::PlayerGone { .. }
                | Event::PlayerBack { .. }
                | Event::Resumed { .. } => {}
            }
        }
        game
    }
}

impl PgnMove {
    fn of(played: &MovePlayed, mover: Color) -> PgnMove {
        PgnMove {
            san: played.san,
            clock_ms: played.clocks.map(|clocks| clocks[mover]),
            elapsed_ms: played.elapsed_ms,
        }
    }
}

/// Writes a game as PGN, with a line feed at its end.
pub fn export(headers: &Headers, game: &PgnGame) -> String {
    let mut text = String::new();
    write_tags(&mut text, headers, game);
    text.push('\n');
    write_moves(&mut text, game);
    text
}

fn write_tags(text: &mut String, headers: &Headers, game: &PgnGame) {
    let result = game.end.map_or("*", |(outcome, _)| outcome.pgn());
    let unknown = |value: &str, otherwise: &'static str| {
        if value.trim().is_empty() { otherwise.to_owned() } else { value.to_owned() }
    };
    tag(text, "Event", &unknown(&headers.event, "?"));
    tag(text, "Site", &unknown(&headers.site, "?"));
    tag(text, "Date", &unknown(&headers.date, "????.??.??"));
    tag(text, "Round", &unknown(&headers.round, "-"));
    tag(text, "White", &unknown(&headers.white, "?"));
    tag(text, "Black", &unknown(&headers.black, "?"));
    tag(text, "Result", result);
    for (name, value) in &headers.more {
        tag(text, name, value);
    }
    if !game.start_position.is_standard() {
        tag(text, "SetUp", "1");
        tag(text, "FEN", &game.start_position.fen());
    }
    tag(
        text,
        "TimeControl",
        &game.time_control.map_or_else(|| "-".to_owned(), |control| control.to_string()),
    );
    tag(text, "Termination", termination(game.end.map(|(_, reason)| reason)));
    if let Some((_, reason)) = game.end {
        tag(text, "EndReason", reason.name());
    }
}

fn tag(text: &mut String, name: &str, value: &str) {
    let named = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(named) {
        return;
    }
    let _ = write!(text, "[{name} \"");
    for character in value.chars().filter(|character| !character.is_control()) {
        if matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push_str("\"]\n");
}

/// The words that the PGN standard has for the tag `Termination`.
fn termination(reason: Option<EndReason>) -> &'static str {
    match reason {
        None => "unterminated",
        Some(EndReason::Time | EndReason::TimeVsInsufficientMaterial) => "time forfeit",
        Some(
            EndReason::Abandonment
            | EndReason::LeftTable
            | EndReason::AbortedNoFirstMove
            | EndReason::AbortedServer,
        ) => "abandoned",
        Some(_) => "normal",
    }
}

fn write_moves(text: &mut String, game: &PgnGame) {
    let mut line = Line { text, bytes: 0 };
    let start = game.start_position.position();
    let (mut mover, mut number) = (start.turn(), start.fullmoves().get());
    // After a comment the number is written again before Black's move, as the export format asks.
    for played in &game.moves {
        line.word(&mover.fold_wb(format!("{number}."), format!("{number}...")));
        line.word(&played.san.to_string());
        line.word("{");
        if let Some(clock_ms) = played.clock_ms {
            line.word(&format!("[%clk {}]", clock_time(clock_ms)));
        }
        line.word(&format!("[%emt {}]", clock_time(played.elapsed_ms)));
        line.word("}");
        number += mover.fold_wb(0, 1);
        mover = mover.other();
    }
    line.word(game.end.map_or("*", |(outcome, _)| outcome.pgn()));
    text.push('\n');
}

fn clock_time(ms: i64) -> String {
    let ms = ms.max(0);
    let (seconds, tenths) = (ms / 1_000, ms % 1_000 / 100);
    let mut time = format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if tenths > 0 {
        let _ = write!(time, ".{tenths}");
    }
    time
}

/// Words separated by blanks, or by line feeds where a line would get too long.
struct Line<'a> {
    text: &'a mut String,
    bytes: usize,
}

impl Line<'_> {
    fn word(&mut self, word: &str) {
        if self.bytes > 0 && self.bytes + 1 + word.len() > LINE_BYTES_MAX {
            self.text.push('\n');
            self.bytes = 0;
        } else if self.bytes > 0 {
            self.text.push(' ');
            self.bytes += 1;
        }
        self.text.push_str(word);
        self.bytes += word.len();
    }
}
