//! A finished game in few bytes, and back: exactly the same events.
//!
//! What a move is, is said by the kind of piece and by its rank among the squares that such pieces go to, the likelier ones
//! with more of the code (docs/decisions/0031-moves-by-kind-and-target.md). What a clock showed follows from the thinking
//! time by the rules of the clock, and is written out only where it does not. All goes through one arithmetic coder. The
//! beginning of the game ([`Started`]) is not part of the packed form: whoever keeps packed games keeps it beside.
//!
//! * `range_coder`: values by their likelihood. `symbol`: likelihoods that are learnt. `numbers`: whole numbers.
//! * `moves`, `targets`: which move is likely. `course`: what follows from what. `script`: event by event. All of them are
//!   frozen with the format's number.

mod course;
mod moves;
mod numbers;
mod range_coder;
mod script;
mod symbol;
mod targets;

use crate::event::{Event, Started};
use range_coder::{Reader, Writer};
use script::{Script, Unit};

/// The number of the stored form, in the upper half of the first byte.
const FORMAT: u8 = 2;
/// The most events that one game may have; the longest possible game is far below.
pub const EVENTS_MAX: usize = 30_000;
/// What a reader may be asked to look at.
pub const PACKED_BYTES_MAX: usize = 256 * 1024;

/// Why events cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unpackable {
    /// They do not begin with a start, or begin twice.
    #[error("the events do not begin with the game's start")]
    NoStart,
    /// More than [`EVENTS_MAX`].
    #[error("the game has too many events")]
    TooLong,
    /// A move is not legal, not spelt as we spell it, or out of its place.
    #[error("move {ply} does not fit")]
    Move {
        /// Its half-move number.
        ply: u32,
    },
    /// A time is negative, or a clock is there where none belongs, or the other way round.
    #[error("a time of event {index} does not fit")]
    Time {
        /// Its place, 0 for the start.
        index: usize,
    },
}

/// The bytes are not what [`pack`] writes, or belong to another start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the packed game is damaged")]
pub struct Damaged;

/// Packs a game's events, the start first. The start itself does not go in.
///
/// # Errors
/// When the events are not those of one game: see [`Unpackable`].
pub fn pack(events: &[Event]) -> Result<Vec<u8>, Unpackable> {
    let Some((Event::Started(started), rest)) = events.split_first() else { return Err(Unpackable::NoStart) };
    if rest.len() >= EVENTS_MAX {
        return Err(Unpackable::TooLong);
    }
    let unit = Unit::of(rest);
    let mut script = Script::new(started, unit);
    let mut writer = Writer::after(vec![FORMAT << 4 | unit.code()]);
    for (event, index) in rest.iter().zip(1..) {
        script.write(&mut writer, event, index)?;
    }
    script.write_end(&mut writer);
    Ok(writer.finish())
}

/// The events that were packed, the start included.
///
/// # Errors
/// When the bytes were not made by [`pack`] from a game with this start. Some damage cannot be seen and gives other events.
pub fn unpack(started: &Started, packed: &[u8]) -> Result<Vec<Event>, Damaged> {
    let (first, rest) = packed.split_first().ok_or(Damaged)?;
    if first >> 4 != FORMAT || packed.len() > PACKED_BYTES_MAX {
        return Err(Damaged);
    }
    let mut script = Script::new(started, Unit::from_code(first & 0x0f).ok_or(Damaged)?);
    let mut reader = Reader::new(rest);
    // A move takes about a byte.
    let mut events = Vec::with_capacity(packed.len() + 8);
    events.push(Event::Started(Box::new(started.clone())));
    while let Some(event) = script.read(&mut reader)? {
        events.push(event);
        if events.len() > EVENTS_MAX {
            return Err(Damaged);
        }
    }
    if reader.is_at_end() { Ok(events) } else { Err(Damaged) }
}

#[cfg(test)]
mod tests;
