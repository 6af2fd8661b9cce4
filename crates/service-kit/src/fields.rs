//! Parsing of a request's fields: all bad ones are named in one answer.
//!
//! ```
//! # use service_kit::{fields::Violations, ids};
//! # fn parse(player_id: &str, stake: i64) -> Result<(uuid::Uuid, i64), tonic::Status> {
//! let mut bad = Violations::default();
//! let player_id = bad.check("player_id", ids::parse(player_id));
//! let stake = bad.check("stake", u32::try_from(stake).map_err(|_| "must not be negative"));
//! let (Some(player_id), Some(stake)) = (player_id, stake) else { return Err(bad.into_status()) };
//! # Ok((player_id, i64::from(stake)))
//! # }
//! # assert!(parse("no id", -1).is_err());
//! ```

use std::fmt;

use tonic::Status;

use crate::status;

/// What is wrong with a request.
#[derive(Clone, Debug, Default)]
pub struct Violations {
    bad: Vec<(String, String)>,
}

impl Violations {
    /// The parsed value, or nothing and a violation.
    pub fn check<T, E: fmt::Display>(&mut self, field: &str, parsed: Result<T, E>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(error) => {
                self.add(field, error.to_string());
                None
            }
        }
    }

    /// Names a bad field.
    pub fn add(&mut self, field: &str, description: impl Into<String>) {
        self.bad.push((field.to_owned(), description.into()));
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.bad.is_empty()
    }

    /// Refuses the request if anything is wrong.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that names every bad field.
    pub fn finish(self) -> Result<(), Status> {
        if self.is_empty() { Ok(()) } else { Err(self.into_status()) }
    }

    /// INVALID_ARGUMENT that names every bad field.
    pub fn into_status(self) -> Status {
        status::invalid_argument(self.bad)
    }
}
