//! The use cases of the service. Depends on the domain and on nothing of the wire or the database: what it needs of
//! them it asks through its ports [`Journal`] and [`Clock`].

mod act;
mod clock;
mod creation;
mod facts;
mod games;
mod journal;
mod owner;
mod receipt;
mod refused;
mod registry;
mod requests;
mod watch;

pub use act::{Act, ActError, Action};
pub use clock::{Clock, ManualClock, SystemClock};
pub use creation::{Confirmed, CreationError, ScaledGames, begin};
pub use facts::{CityId, Facts, GameId, MatchId, PlayerId, Seat, Stake};
pub use games::{Games, ReadError, Reading};
pub use journal::{
    Addition, Cause, Entry, Journal, JournalError, Record, Refused as AdditionRefused, Version,
};
pub use receipt::Receipt;
pub use refused::Refused;
pub use watch::{Frame, Start, Watch, WatchError, WatchItem, WatchLimits};

#[cfg(test)]
mod tests;
