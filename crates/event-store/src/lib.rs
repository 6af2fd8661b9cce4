//! The append-only log of a service on Postgres: one table of events, one outbox, an optimistic lock on each stream.
//!
//! # Map
//!
//! * [`Append`], [`NewEvent`], [`RecordedEvent`]: what goes in and what comes out, with the named limits (`event`).
//! * [`Metadata`]: who caused an event and in which trace, kept as a few protobuf bytes (`metadata`).
//! * [`append_in`], [`append_all_in`]: one append, or one each of several streams, inside the caller's transaction, for use cases that change more than the log (`append`).
//! * [`GroupCommit`]: many appends of many callers in one commit, for the hot path (`group_commit`).
//! * [`fence`]: who may write to a set of streams, checked in the transaction that writes.
//! * [`load`], [`load_all`], [`load_many`], [`head`], [`heads`], [`scan`]: reading a stream, or the whole log page by page for a rebuild (`read`).
//! * [`look`]: the newest events by stream or by time, for people (`look`).
//! * [`schema`], [`make_partitions`]: the tables and their monthly partitions (`schema`).
//! * [`CommitSignal`]: wakes the outbox relay in process after a commit (`signal`).
//! * [`fault`]: what an error of the database says about whether the write landed.
//! * [`trace`]: the W3C trace context of the current span, as a header value.
//!
//! # Invariants
//!
//! * STORE-1 A stream's versions are 1, 2, 3 … without a gap; `(stream_id, version)` is unique, so of two appends with the
//!   same expected version exactly one is written.
//! * STORE-2 An append is written whole or not at all, whatever else is in its batch.
//! * STORE-3 An append that is refused does not fail the others of its batch.
//! * STORE-4 An outbox row exists if and only if its public event was committed: both are written by one statement.
//! * STORE-5 What [`GroupCommit::append`] acknowledges is committed. A caller that leaves does not undo or interrupt it.
//! * STORE-6 Appending through [`GroupCommit`] is idempotent: an append whose events already stand at their places, byte for byte and
//!   metadata included, is answered like the first time; one that differs in anything is a conflict. That makes a retry after a broken
//!   connection safe, and decisive, and nothing is acknowledged that the log does not hold.
//! * STORE-7 Appends of one stream that are handed to a [`GroupCommit`] in some order are tried in that order.
//! * STORE-8 Nothing is unbounded: queue, batch, events in an append, bytes of an event, rows of a load.
//! * STORE-9 An append under a [`fence::Grant`] is written only while the grant is good, and whoever raises the fence's epoch waits
//!   for appends that were found good and are not committed yet. One that comes too late is refused alone.
//! * STORE-10 A public event has an id of its own. A private one may do without; it is then called by its place ([`RecordedEvent::id`]).
//!
//! # Deliberately absent
//!
//! * A read of "all events after position n" for programs. Identity numbers are drawn before the commit, so such a reader
//!   skips late ones; so does [`look`], which is why only people use it. Other services follow the outbox through the bus; a rebuild uses [`scan`], which is ordered by stream.
//! * Snapshots: streams here are short.
//! * `NOTIFY` and any lock that two streams share: both serialise commits.
//! * Updates and deletes of events.

mod append;
mod event;
pub mod fault;
pub mod fence;
mod group_commit;
mod look;
mod metadata;
mod read;
mod schema;
mod signal;
pub mod telemetry;
pub mod trace;

pub use append::{AppendError, append_all_in, append_in};
pub use event::{
    ACTOR_BYTES_MAX, APPEND_DATA_BYTES_MAX, Append, EVENT_DATA_BYTES_MAX, EVENTS_PER_APPEND_MAX,
    InvalidAppend, NAME_BYTES_MAX, NewEvent, Publication, RecordedEvent, StreamId, Version,
};
pub use group_commit::{GroupCommit, GroupCommitConfig};
pub use look::{LOOK_BACK_MAX, LOOK_ROWS_MAX, LOOK_TIME_MAX, Look, LookError, LookPosition, SeenEvent, look};
pub use metadata::{Cause, Metadata, MetadataError};
pub use read::{
    LOAD_MANY_EVENTS_MAX, LOAD_ROWS_MAX, STREAM_EVENTS_MAX, ScanPosition, head, heads, load, load_all,
    load_many, scan,
};
pub use schema::{PARTITION_MONTHS_AHEAD, make_partitions, schema};
pub use signal::CommitSignal;
