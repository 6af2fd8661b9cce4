//! One line of UCI output, parsed.
//!
//! Whatever an engine writes is accepted as a line; what cannot be understood is [`Output::Other`] and ignored, as
//! the protocol asks. Numbers beyond any honest value are cut, never overflowed.

use std::num::IntErrorKind;

/// Centipawn scores are cut here: above any engine's highest value that is not a mate.
pub const CENTIPAWNS_MAX: i32 = 32_000;
/// Mate distances are cut here, in moves: above the depth any engine searches.
pub const MATE_MOVES_MAX: i32 = 1_000;

/// A score in the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// Hundredths of a pawn, within ±[`CENTIPAWNS_MAX`].
    Cp(i32),
    /// Moves to mate, never zero, within ±[`MATE_MOVES_MAX`]; negative when the side to move is mated.
    Mate(i32),
}

/// Who an engine says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `id name`: program and version.
    pub name: String,
    /// `id author`.
    pub author: String,
}

/// A line of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<'a> {
    /// `id name …`
    Name(&'a str),
    /// `id author …`
    Author(&'a str),
    /// `option name …`: the name alone.
    Option(&'a str),
    /// `uciok`
    UciOk,
    /// `readyok`
    ReadyOk,
    /// An `info` line that says where a line of play stands.
    Info(Info<'a>),
    /// `bestmove …`, or `bestmove (none)`.
    BestMove(&'a str),
    /// Anything else.
    Other,
}

/// An `info` line with a score and moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info<'a> {
    /// Search depth in plies.
    pub depth: u32,
    /// Rank among the lines, from 1.
    pub rank: usize,
    /// The score.
    pub score: Score,
    /// Whether the score is the value itself.
    pub exactness: Exactness,
    /// Nodes searched so far, if told.
    pub nodes: Option<u64>,
    /// The moves.
    pub moves: Vec<&'a str>,
}

/// Whether a score is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// The value.
    Exact,
    /// `lowerbound` or `upperbound`: the search is not done with it.
    Bound,
}

/// Parses one line without its line end.
#[must_use]
pub fn parse(line: &str) -> Output<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "uciok" => Output::UciOk,
        "readyok" => Output::ReadyOk,
        "bestmove" => Output::BestMove(rest.split_whitespace().next().unwrap_or("")),
        "id" => match rest.split_once(char::is_whitespace) {
            Some(("name", name)) => Output::Name(name.trim()),
            Some(("author", author)) => Output::Author(author.trim()),
            _ => Output::Other,
        },
        "option" => option_name(rest).map_or(Output::Other, Output::Option),
        "info" => info(rest).map_or(Output::Other, Output::Info),
        _ => Output::Other,
    }
}

/// An option's name may contain blanks and ends before `type`.
fn option_name(rest: &str) -> Option<&str> {
    let named = rest.strip_prefix("name")?;
    let end = named.find(" type ").unwrap_or(named.len());
    let name = named[..end].trim();
    (!name.is_empty()).then_some(name)
}

/// `None` for the many `info` lines that report no line of play.
fn info(rest: &str) -> Option<Info<'_>> {
    let mut words = rest.split_whitespace();
    let (mut depth, mut rank, mut nodes) = (None, 1, None);
    let (mut score, mut exactness) = (None, Exactness::Exact);
    while let Some(word) = words.next() {
        match word {
            "depth" => depth = Some(words.next()?.parse().ok()?),
            "multipv" => rank = words.next()?.parse().ok()?,
            "nodes" => nodes = Some(words.next()?.parse().ok()?),
            "score" => score = Some(parse_score(words.next()?, words.next()?)?),
            "lowerbound" | "upperbound" => exactness = Exactness::Bound,
            "string" => return None,
            "pv" => {
                let moves: Vec<&str> = words.collect();
                let has_moves = !moves.is_empty();
                let (depth, score) = (depth?, score?);
                return has_moves.then_some(Info { depth, rank, score, exactness, nodes, moves });
            }
            // Unknown words and the values of known ones that do not matter here.
            _ => {}
        }
    }
    None
}

/// `mate 0` is said of a position that is over; such a position is never searched, so it is nonsense here.
fn parse_score(kind: &str, value: &str) -> Option<Score> {
    match (kind, cut_integer(value)?) {
        ("cp", value) => Some(Score::Cp(value.clamp(-CENTIPAWNS_MAX, CENTIPAWNS_MAX))),
        ("mate", 0) => None,
        ("mate", value) => Some(Score::Mate(value.clamp(-MATE_MOVES_MAX, MATE_MOVES_MAX))),
        _ => None,
    }
}

/// An integer, cut at the bounds of its type instead of refused.
fn cut_integer(text: &str) -> Option<i32> {
    match text.parse::<i32>() {
        Ok(value) => Some(value),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Some(i32::MAX),
            IntErrorKind::NegOverflow => Some(i32::MIN),
            _ => None,
        },
    }
}
