//! The leases of shards, as a port.
//!
//! An instance is alive while the entry under its name has not expired, and a shard is owned by whom its row names. So one renewal
//! keeps all shards of an instance, and the rows that writers look at change only when a shard changes hands.

use std::{fmt, time::Duration};

use futures::future::BoxFuture;
use uuid::Uuid;

use super::{
    holdings::Epoch,
    shards::{InstanceName, ShardId},
};

/// An instance as it calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Kept over restarts: a process that starts under the name of another follows it at once, without waiting for its end.
    pub name: InstanceName,
    /// This process and no other.
    pub instance_id: Uuid,
}

/// An instance that has not expired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// Who.
    pub instance: Instance,
    /// How long it would live without another renewal.
    pub left: Duration,
}

/// Whose a shard is, by its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The shard.
    pub shard: ShardId,
    /// Under which epoch.
    pub epoch: Epoch,
    /// By whom; `None` after a release.
    pub holder: Option<Uuid>,
}

/// Who is there, and what is whose.
#[derive(Clone, Debug, Default)]
pub struct Roll {
    /// Those who have not expired.
    pub live: Vec<Live>,
    /// Every shard.
    pub held: Vec<Held>,
}

/// Why a lease could not be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another process runs under this instance's name.
    #[error("another process runs under the name {0:?}; every instance needs one of its own")]
    Superseded(InstanceName),
    /// The database did not do it.
    #[error("the leases cannot be reached")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The leases of shards.
pub trait Leases: fmt::Debug + Send + Sync + 'static {
    /// Enters an instance, in the place of whoever had its name before.
    fn enrol<'a>(&'a self, me: &'a Instance, lease: Duration) -> BoxFuture<'a, Result<(), LeaseError>>;
    /// Lives on for the length of a lease from now, and answers who is there and what is whose.
    fn renew<'a>(&'a self, me: &'a Instance, lease: Duration) -> BoxFuture<'a, Result<Roll, LeaseError>>;
    /// Takes those of these shards that are nobody's, or whose holder has expired, or that were this instance's before, and that nobody is
    /// writing to at this moment. Each gets a new epoch.
    fn take<'a>(
        &'a self,
        me: &'a Instance,
        shards: &'a [ShardId],
    ) -> BoxFuture<'a, Result<Vec<(ShardId, Epoch)>, LeaseError>>;
    /// Gives these shards up.
    fn release<'a>(
        &'a self,
        me: &'a Instance,
        shards: &'a [ShardId],
    ) -> BoxFuture<'a, Result<(), LeaseError>>;
    /// Gives everything up and is no longer there.
    fn leave<'a>(&'a self, me: &'a Instance) -> BoxFuture<'a, Result<(), LeaseError>>;
}
