//! A game with everything that its evidence depends on, as PGN: what a third party needs beside the engine and the calibration to
//! make the report again, to the last digit. Ratings and times stand in it in full, in tags and comments of their own.

use std::fmt::Write as _;

use shakmaty::san::{San, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position as _};
use uuid::Uuid;

use super::analysis::{AnalysisError, Circumstances, FinishedGame, replay, start_position};

/// The longest record that is read, in bytes.
pub const BYTES_MAX: usize = 1 << 20;

/// Why a record cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is longer than [`BYTES_MAX`].
    #[error("the record is longer than {BYTES_MAX} bytes")]
    TooLong,
    /// A tag that the evidence depends on cannot be read.
    #[error("the tag {0} cannot be read")]
    Tag(&'static str),
    /// The start position is none.
    #[error("the start position is none: {0}")]
    Start(String),
    /// A move is not legal.
    #[error("{0:?} is no legal move at ply {1}")]
    Move(String, usize),
}

/// The game as PGN.
///
/// # Errors
/// When the record is no game.
pub fn write(game: &FinishedGame) -> Result<String, AnalysisError> {
    let played = replay(game)?;
    let mut text = String::new();
    let score = game.circumstances.as_ref().map(|circumstances| circumstances.white_score);
    let result = match score {
        Some(score) if score > 0.75 => "1-0",
        Some(score) if score < 0.25 => "0-1",
        Some(_) => "1/2-1/2",
        None => "*",
    };
    tag(&mut text, "Event", "Stakemate");
    tag(&mut text, "White", &game.white_id.to_string());
    tag(&mut text, "Black", &game.black_id.to_string());
    tag(&mut text, "Result", result);
    tag(&mut text, "GameId", &game.game_id.to_string());
    if !game.start_fen.is_empty() {
        tag(&mut text, "SetUp", "1");
        tag(&mut text, "FEN", &game.start_fen);
    }
    if let Some(circumstances) = &game.circumstances {
        let control = |ms: i64| format!("{}.{:03}", ms / 1_000, ms % 1_000);
        let clock = format!("{}+{}", control(circumstances.base_ms), control(circumstances.increment_ms));
        tag(&mut text, "TimeControl", &clock);
        // As short as a number can be written and still be read back bit by bit.
        tag(&mut text, "WhiteElo", &circumstances.white_rating.to_string());
        tag(&mut text, "BlackElo", &circumstances.black_rating.to_string());
        tag(&mut text, "EndedAtMs", &circumstances.ended_at_ms.to_string());
    }
    text.push('\n');
    let mut position = played.position(0).cloned().unwrap_or_default();
    for (index, facts) in played.plies().iter().enumerate() {
        let number = position.fullmoves().get();
        let dots = if facts.mover == Color::White { "." } else { "..." };
        let uci = UciMove::from_ascii(facts.uci.as_bytes()).expect("the replay wrote it");
        let legal = uci.to_move(&position).expect("the replay checked it");
        let san = SanPlus::from_move_and_play_unchecked(&mut position, legal);
        let _ = write!(text, "{number}{dots} {san} ");
        if let Some(charged_ms) = game.circumstances.as_ref().and_then(|known| known.charged_ms.get(index)) {
            let _ = write!(text, "{{ [%emt {}] }} ", time(*charged_ms));
        }
        text.push(if facts.mover == Color::Black { '\n' } else { ' ' });
    }
    let _ = writeln!(text, "{result}");
    Ok(text)
}

fn tag(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "[{name} \"{value}\"]");
}

fn time(ms: i64) -> String {
    let (seconds, rest) = (ms / 1_000, ms % 1_000);
    format!("{}:{:02}:{:02}.{rest:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Reads a game. What the evidence depends on and the text does not tell is left open, and the game is not scored then; ids that it
/// does not tell are nil.
///
/// # Errors
/// See [`RecordError`].
pub fn read(text: &str) -> Result<FinishedGame, RecordError> {
    if text.len() > BYTES_MAX {
        return Err(RecordError::TooLong);
    }
    let tags: Vec<(&str, &str)> = text.lines().filter_map(read_tag).collect();
    let value = |name: &str| tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| *value);
    let id = |name: &str| value(name).and_then(|text| Uuid::parse_str(text).ok()).unwrap_or_default();
    let start_fen = value("FEN").unwrap_or_default().to_owned();
    let start = start_position(&start_fen).map_err(|error| RecordError::Start(error.to_string()))?;
    let body: String =
        text.lines().filter(|line| read_tag(line).is_none()).flat_map(|line| [line, " "]).collect();
    let Moves { moves, charged_ms } = read_moves(start, &body)?;
    let circumstances = match (value("WhiteElo"), value("BlackElo"), value("TimeControl")) {
        (Some(white), Some(black), Some(clock)) => {
            let (base_ms, increment_ms) = read_clock(clock).ok_or(RecordError::Tag("TimeControl"))?;
            Some(Circumstances {
                white_rating: white.parse().map_err(|_| RecordError::Tag("WhiteElo"))?,
                black_rating: black.parse().map_err(|_| RecordError::Tag("BlackElo"))?,
                base_ms,
                increment_ms,
                white_score: match value("Result") {
                    Some("1-0") => 1.0,
                    Some("0-1") => 0.0,
                    Some("1/2-1/2") => 0.5,
                    _ => return Err(RecordError::Tag("Result")),
                },
                ended_at_ms: value("EndedAtMs").and_then(|text| text.parse().ok()).unwrap_or_default(),
                charged_ms,
            })
        }
        _ => None,
    };
    let (game_id, white_id, black_id) = (id("GameId"), id("White"), id("Black"));
    Ok(FinishedGame { game_id, white_id, black_id, moves, start_fen, is_staked: true, circumstances })
}

fn read_tag(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().strip_prefix('[')?.split_once(' ')?;
    let value = value.strip_prefix('"')?.strip_suffix("\"]")?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some((name, value))
}

struct Moves {
    moves: Vec<String>,
    charged_ms: Vec<i64>,
}

/// The moves of the main line and how long they took; times only when every move has one.
fn read_moves(mut position: Chess, body: &str) -> Result<Moves, RecordError> {
    let mut moves = Vec::new();
    let mut times = Vec::new();
    let mut rest = body;
    let mut variations = 0_u32;
    while let Some(first) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        if first == '{' {
            let (comment, after) = rest.split_once('}').unwrap_or((rest, ""));
            if variations == 0 {
                times.extend(read_emt(comment));
            }
            rest = after;
            continue;
        }
        if matches!(first, '(' | ')') {
            variations = if first == '(' { variations + 1 } else { variations.saturating_sub(1) };
            rest = &rest[1..];
            continue;
        }
        let end =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '{' | '(' | ')')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_move = word.starts_with(|c: char| c.is_ascii_alphabetic());
        if variations > 0 || !is_move {
            continue;
        }
        let illegal = || RecordError::Move(word.chars().take(20).collect(), moves.len() + 1);
        let san =
            San::from_ascii(word.trim_end_matches(['!', '?', '+', '#']).as_bytes()).map_err(|_| illegal())?;
        let legal = san.to_move(&position).map_err(|_| illegal())?;
        moves.push(UciMove::from_move(legal, CastlingMode::Standard).to_string());
        position.play_unchecked(legal);
    }
    let charged_ms = if times.len() == moves.len() { times } else { Vec::new() };
    Ok(Moves { moves, charged_ms })
}

fn read_emt(comment: &str) -> Option<i64> {
    let (_, after) = comment.split_once("[%emt ")?;
    let (time, _) = after.split_once(']')?;
    let mut ms = 0_i64;
    for part in time.trim().split(':') {
        ms = ms.checked_mul(60)?.checked_add(read_seconds(part)?)?;
    }
    Some(ms)
}

/// `180.000+2.000` or `180+2`, in milliseconds.
fn read_clock(text: &str) -> Option<(i64, i64)> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    Some((read_seconds(base)?, read_seconds(increment)?))
}

/// Seconds with at most three decimals, in milliseconds; without a float, so that nothing is rounded.
fn read_seconds(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = whole.parse().ok().filter(|seconds| (0..=86_400).contains(seconds))?;
    let part: i64 = format!("{decimals:0<3}").parse().ok()?;
    Some(whole * 1_000 + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str, start_fen: &str) -> FinishedGame {
        let moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
        let charged_ms = (0..moves.len() as i64).map(|ply| 1_000 + ply * 61_237).collect();
        FinishedGame {
            game_id: Uuid::from_u128(7),
            white_id: Uuid::from_u128(8),
            black_id: Uuid::from_u128(9),
            moves,
            start_fen: start_fen.to_owned(),
            is_staked: true,
            circumstances: Some(Circumstances {
                white_rating: 1_662.310_389_447_121_4,
                black_rating: 1_500.0,
                base_ms: 180_000,
                increment_ms: 2_500,
                white_score: 0.5,
                ended_at_ms: 1_767_225_540_123,
                charged_ms,
            }),
        }
    }

    #[test]
    fn a_game_comes_back_from_its_record_bit_by_bit() {
        let castles = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8";
        let promotes = "a7a8q e8d7 a8b8";
        for game in [game(castles, ""), game(promotes, "4k3/P7/8/8/8/8/8/4K3 w - - 0 40")] {
            let text = write(&game).expect("a game");
            assert_eq!(read(&text).expect("readable"), game, "{text}");
        }
        let unknown = FinishedGame { circumstances: None, ..game(castles, "") };
        assert_eq!(read(&write(&unknown).expect("a game")).expect("readable"), unknown);
    }

    #[test]
    fn the_records_of_others_are_read_too_and_what_is_none_is_refused() {
        let text = "[Event \"x\"]\n[White \"Anna\"]\n\n1. e4! {best [%clk 0:03:00]} (1. d4 d5 (1... Nf6)) 1... e5 $1 2.Nf3 Nc6 *";
        let game = read(text).expect("readable");
        assert_eq!(game.moves, ["e2e4", "e7e5", "g1f3", "b8c6"]);
        assert_eq!((game.circumstances, game.white_id), (None, Uuid::nil()));
        assert_eq!(read("1. e4 e5 2. Ke3"), Err(RecordError::Move("Ke3".to_owned(), 3)));
        let scored = "[WhiteElo \"x\"]\n[BlackElo \"1\"]\n[TimeControl \"1+0\"]\n\n1. e4 *";
        assert_eq!(read(scored), Err(RecordError::Tag("WhiteElo")));
        assert_eq!(read(&" ".repeat(BYTES_MAX + 1)), Err(RecordError::TooLong));
        assert!(matches!(read("[FEN \"nothing\"]\n\n1. e4 *"), Err(RecordError::Start(_))));
    }
}
