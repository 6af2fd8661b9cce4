//! What instances of this service say to each other: that something is worth a look now rather than in two seconds.
//!
//! A notice may be lost or come twice. Whoever hears one reads what is the case; whoever does not finds it at his next look.

use tokio::sync::mpsc;
use uuid::Uuid;

use crate::app::tickets::QueueKey;

/// Notices that may wait to be sent; more are dropped.
const NOTICES_MAX: usize = 1_024;

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A match of these players took a step.
    Match {
        /// Which.
        match_id: Uuid,
        /// Whose.
        players: [Uuid; 2],
    },
    /// A player's ticket has ended.
    Ticket {
        /// Whose.
        player_id: Uuid,
    },
    /// Somebody has joined a queue that another instance leads.
    Queue(QueueKey),
    /// A city was written.
    Cities,
}

/// Where notices are handed in. Clones share the way out.
#[derive(Debug, Clone)]
pub struct Notices {
    outbox: mpsc::Sender<Notice>,
}

impl Notices {
    /// The handle, and the end that [`crate::bus::notices`] sends from.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Notice>) {
        let (outbox, notices) = mpsc::channel(NOTICES_MAX);
        (Self { outbox }, notices)
    }

    /// Tells the other instances, unless too much waits to be told already.
    pub fn send(&self, notice: Notice) {
        let _ = self.outbox.try_send(notice);
    }
}
