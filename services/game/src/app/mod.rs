//! The use cases of the service. Depends on the domain and on nothing of the wire or the database: what it needs of
//! them it asks through its ports [`Journal`], [`TableStore`], [`Clock`], [`Leases`] and [`Peers`].

mod act;
mod attendance;
mod clock;
mod creation;
mod facts;
mod games;
mod holdings;
mod journal;
mod keeper;
mod leases;
mod owner;
mod peers;
mod presence;
mod receipt;
mod refused;
mod registry;
mod requests;
mod shards;
mod table;
mod table_store;
mod tables;
mod watch;

pub use act::{Act, ActError, Action};
pub use attendance::{Closing, News, Sign};
pub use clock::{Clock, ManualClock, SystemClock};
pub use creation::{Confirmed, CreationError, ScaledGames, begin, rule_set};
pub use facts::{CityId, Facts, GameId, MatchId, PlayerId, Seat, Stake, TableId};
pub use games::{Games, ReadError, Reading};
pub use holdings::{Epoch, Holding, Holdings};
pub use journal::{
    Addition, Cause, Entry, Journal, JournalError, Record, Refused as AdditionRefused, Version,
};
pub use keeper::{Keeper, Notice, Standing, Talk};
pub use leases::{Held, Instance, LeaseError, Leases, Live, Roll};
pub use peers::{Company, Followed, NoPeers, Peers};
pub use presence::Presence;
pub use receipt::Receipt;
pub use refused::Refused;
pub use shards::{InstanceName, SHARDS, ShardId, keeper_of};
pub use table::{
    Circumstances, Nature, Running, Sitter, Table, TableCommand, TableEvent, TableRefusal, Terms, Visibility,
};
pub use table_store::{TableAddition, TableEntry, TableStore};
pub use tables::{Asked, Shown, TableError, Tables};
pub use watch::{Frame, Start, Told, Watch, WatchError, WatchItem, WatchLimits};

#[cfg(test)]
mod tests;
