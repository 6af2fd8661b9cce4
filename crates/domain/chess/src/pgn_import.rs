//! Reading PGN of any common dialect: games of other programs as events of ours.
//!
//! Comments, variations, annotations and escapes are passed over, clocks (`%clk`) are taken, and what a text leaves open is
//! filled in as little as possible: a move's time is what its clock lost, and the reason of a result is the usual one. A
//! game is taken whole or refused; the others of the file are not touched by it. A word that is not even shaped like a move
//! (`e8Q` without its sign) is passed over like a comment: then the next move does not fit, unless there is none.

mod reading;
mod times;

use std::{io, sync::Arc};

use shakmaty::{Color, Position as _, uci::UciMove};

use crate::{
    Clocks, EndReason, Ended, Event, Game, MovePlayed, Outcome, RuleSet, SanPlus, Standing, StartPosition,
    Started, TimeControl, TimeScale, material::can_mate, rule_set::MatingRule,
};
use reading::Text;

/// The most half-moves of a game that is read.
pub const PLIES_MAX: usize = 2_000;
/// The most tags of a game that are kept.
pub const TAGS_MAX: usize = 64;
/// The most bytes of a tag that are kept.
pub const TAG_BYTES_MAX: usize = 256;

/// A game as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its tags in their order.
    pub tags: Vec<(String, String)>,
    /// Its events, the start first. A game whose result is `*` has no end.
    pub events: Vec<Event>,
}

/// Why a game is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is played by other rules.
    #[error("the variant {0:?} is not chess as we play it")]
    Variant(String),
    /// Its start position is none.
    #[error("the start position is none: {0}")]
    Start(String),
    /// A move is not legal, or cannot be read.
    #[error("move {ply} is no legal move")]
    Move {
        /// Its half-move number.
        ply: usize,
    },
    /// More than [`PLIES_MAX`].
    #[error("the game is longer than {PLIES_MAX} half-moves")]
    TooLong,
    /// There is nothing but tags and a result.
    #[error("the game has no moves")]
    NoMoves,
}

/// The games of a file, one after the other.
pub struct Games<R> {
    reader: pgn_reader::Reader<R>,
}

impl<R: io::Read> Games<R> {
    /// Reads from `source` as the games are asked for.
    pub fn new(source: R) -> Games<R> {
        Games { reader: pgn_reader::Reader::new(source) }
    }
}

impl<R: io::Read> Iterator for Games<R> {
    type Item = io::Result<Result<Imported, Refusal>>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.reader.read_game(&mut Text::default()).transpose()?;
        Some(read.map(|text| text.and_then(Text::into_game)))
    }
}

impl Imported {
    /// The value of a tag, if it has one that says something.
    pub fn tag(&self, name: &str) -> Option<&str> {
        value(&self.tags, name)
    }
}

fn value<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let (_, value) = tags.iter().find(|(tag, _)| tag == name)?;
    Some(value.trim()).filter(|value| !value.is_empty() && *value != "?")
}

impl Text {
    fn into_game(self) -> Result<Imported, Refusal> {
        if self.moves.is_empty() {
            return Err(Refusal::NoMoves);
        }
        let control = value(&self.tags, "TimeControl").and_then(times::control);
        // Some clocks are no clocks: without a control we know neither where they began nor what a move added.
        let started = Started {
            rule_set: Arc::new(RuleSet::fide()),
            time_control: control,
            start_position: self.start.clone().unwrap_or_default(),
            standing: Standing::Casual,
            time_scale: TimeScale::REAL,
            at_ms: times::began_at_ms(
                value(&self.tags, "UTCDate").or_else(|| value(&self.tags, "Date")),
                value(&self.tags, "UTCTime"),
            ),
        };
        let mut writing = Writing::new(started);
        for (san, clock_ms) in &self.moves {
            writing.play(*san, *clock_ms)?;
        }
        writing.end(self.outcome(), value(&self.tags, "Termination").unwrap_or_default());
        Ok(Imported { tags: self.tags, events: writing.events })
    }

    fn outcome(&self) -> Option<Outcome> {
        // The text's own end counts; some programs have it in the tag only.
        match self.ending.as_deref().filter(|ending| *ending != "*").or(value(&self.tags, "Result")) {
            Some("1-0") => Some(Outcome::WhiteWins),
            Some("0-1") => Some(Outcome::BlackWins),
            Some("1/2-1/2") => Some(Outcome::Draw),
            _ => None,
        }
    }
}

/// The events so far, and the game to which they have led.
struct Writing {
    events: Vec<Event>,
    game: Game,
    now_ms: i64,
}

impl Writing {
    fn new(started: Started) -> Writing {
        let now_ms = started.at_ms;
        let first = Event::Started(Box::new(started));
        let mut game = Game::new();
        game.evolve(&first);
        Writing { events: vec![first], game, now_ms }
    }

    fn play(&mut self, san: SanPlus, clock_ms: Option<i64>) -> Result<(), Refusal> {
        let ply = self.game.ply() + 1;
        let illegal = Refusal::Move { ply: ply as usize };
        let m = san.san.to_move(self.game.position()).map_err(|_| illegal.clone())?;
        let by = self.game.side_to_move();
        let increment_ms = self.game.time_control().map_or(0, |control| i64::from(control.increment_ms));
        let (charged_ms, clocks) = match (self.game.clocks(), clock_ms) {
            (Some(clocks), Some(clock_ms)) => {
                ((clocks[by] + increment_ms - clock_ms).max(0), Some(clocks.with(by, clock_ms)))
            }
            // A move without a clock in a game with clocks took no time that we know of.
            (Some(clocks), None) => (0, Some(clocks)),
            (None, _) => (0, None),
        };
        self.now_ms += charged_ms;
        let played = Event::MovePlayed(MovePlayed {
            ply,
            uci: UciMove::from_standard(m),
            san: SanPlus::from_move(self.game.position().clone(), m),
            received_at_ms: self.now_ms,
            elapsed_ms: charged_ms,
            charged_ms,
            lag_credit_ms: 0,
            clocks,
        });
        self.game.apply(&played).map_err(|_| illegal)?;
        self.events.push(played);
        Ok(())
    }

    fn end(&mut self, outcome: Option<Outcome>, termination: &str) {
        let Some((outcome, reason)) = self.on_the_board().or_else(|| {
            let outcome = outcome?;
            Some((outcome, self.reason(outcome, &termination.to_ascii_lowercase())))
        }) else {
            return;
        };
        let clocks: Option<Clocks> = self.game.clocks();
        self.events.push(Event::Ended(Ended { outcome, reason, at_ms: self.now_ms, clocks }));
    }

    /// Mate and stalemate are what they are, whatever the text says.
    fn on_the_board(&self) -> Option<(Outcome, EndReason)> {
        let position = self.game.position();
        if position.is_checkmate() {
            let winner: Color = position.turn().other();
            Some((Outcome::won_by(winner), EndReason::Checkmate))
        } else if position.is_stalemate() {
            Some((Outcome::Draw, EndReason::Stalemate))
        } else {
            None
        }
    }

    fn reason(&self, outcome: Outcome, termination: &str) -> EndReason {
        let has = |word: &str| termination.contains(word);
        let is_draw = outcome == Outcome::Draw;
        if has("time") && !has("abandon") {
            return if is_draw { EndReason::TimeVsInsufficientMaterial } else { EndReason::Time };
        }
        if has("abandon") && !is_draw {
            return EndReason::Abandonment;
        }
        match (is_draw, self.game.repetitions(), self.game.halfmoves()) {
            (false, _, _) => EndReason::Resignation,
            (true, 3.., _) => EndReason::ClaimThreefold,
            (true, _, 100..) => EndReason::ClaimFiftyMoves,
            (true, _, _) if self.neither_can_mate() => EndReason::InsufficientMaterial,
            (true, _, _) => EndReason::Agreement,
        }
    }

    fn neither_can_mate(&self) -> bool {
        let position = self.game.position();
        !Color::ALL.iter().any(|side| can_mate(MatingRule::F1, position, *side))
    }
}

/// A start position of a tag.
fn start(fen: &str) -> Result<StartPosition, Refusal> {
    StartPosition::from_fen(fen).map_err(|refusal| Refusal::Start(refusal.to_string()))
}

/// A control's two figures in seconds, with decimals.
fn control_of(base_s: f64, increment_s: f64) -> Option<TimeControl> {
    let ms = |seconds: f64| {
        let ms = (seconds * 1_000.0).round();
        (0.0..=f64::from(u32::MAX)).contains(&ms).then_some(ms as u32)
    };
    Some(TimeControl::new(ms(base_s)?, ms(increment_s)?)).filter(|control| control.is_playable())
}
