//! The first outcome of an id is its only outcome.
//!
//! The outcome is stored with the digest of the input in the transaction of the effect, refusals too; this is the rule by
//! which a later command with the same id is answered.

use thiserror::Error;

/// A digest of a command's input, made by the caller. Two inputs with one digest are taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputHash(pub [u8; 32]);

/// What is stored under an id: the digest of the first input and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idempotency<O> {
    /// The digest of the first input.
    pub input_hash: InputHash,
    /// What came of it: an answer or a refusal.
    pub outcome: O,
}

/// How a command with an id is to be treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn<'a, O> {
    /// The id is new: decide, and store what comes of it.
    First,
    /// The id was used for this very input: give the first outcome again and do nothing.
    Repeat(&'a O),
}

/// The id was used for another input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the id was used for another input")]
pub struct KeyReused;

/// Compares a command with what is stored under its id.
///
/// # Errors
/// [`KeyReused`] when the stored input is another one; the stored outcome stays.
pub fn turn_of<O>(stored: Option<&Idempotency<O>>, input_hash: InputHash) -> Result<Turn<'_, O>, KeyReused> {
    match stored {
        None => Ok(Turn::First),
        Some(first) if first.input_hash == input_hash => Ok(Turn::Repeat(&first.outcome)),
        Some(_) => Err(KeyReused),
    }
}
