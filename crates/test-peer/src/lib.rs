//! What stands in for the rest of the platform when the tests of one service run that service alone.
//!
//! A service hears of the others by their events only, and so do its tests: a [`Peer`] is a log and a relay under another
//! service's name and says what the test tells it to; a [`Listener`] hears what the service under test publishes. Both go by
//! the bus, so that what is tested is what the others will see.
//!
//! ```no_run
//! # use test_peer::{Keys, Listener, Peer};
//! # async fn example() {
//! let nats = test_kit::own_nats().await;
//! let game = Peer::start("game", &nats.url()).await;
//! let wallet = Listener::start("wallet", &nats.url()).await;
//! # let _ = (game, wallet);
//! # }
//! ```
//!
//! # Map
//!
//! * [`peer`]: another service, as far as its events go.
//! * [`listener`]: what a service has published.
//! * [`delivery`]: a message handed straight to a handler, without a broker.
//! * [`visitor`]: keys, settings for the service under test, and callers with tokens.
//! * [`instance`]: a service in a runtime of its own, that can be stopped, and can die as a process does.
//! * [`refusal`]: what a status says, for assertions.
//!
//! # Invariants
//!
//! * PEER-1 What a peer publishes has the versions of a real log: contiguous, each public event naming the one before.
//! * PEER-2 No wait is without an end; one that runs out fails the test at the line that waited.
//! * PEER-3 Everything here ends with the test that holds it.
//!
//! # Deliberately absent
//!
//! * What the other services would answer: a test says it, so that it can also say what they would not.
//! * A broker shared between tests. The durable consumers of a service have fixed names, so each test takes
//!   `test_kit::own_nats` and no two of them meet.

pub mod delivery;
pub mod instance;
pub mod listener;
pub mod peer;
pub mod refusal;
pub mod visitor;

use std::time::Duration;

pub use instance::Instance;
pub use listener::Listener;
pub use peer::Peer;
pub use visitor::{Keys, Visitor};

/// How long a test waits for what has to come. Long, because the machine may be busy; a test that passes never waits it out.
pub const PATIENCE: Duration = Duration::from_secs(60);
