//! The in-process wake-up of the outbox relay.

use std::sync::Arc;
use tokio::sync::Notify;

/// Says "something public was committed" to the relay of the same process. A signal that nobody waits for is kept, and
/// several count as one; a lost signal costs only the relay's poll interval.
#[derive(Debug, Clone, Default)]
pub struct CommitSignal {
    notify: Arc<Notify>,
}

impl CommitSignal {
    pub fn new() -> Self {
        Self::default()
    }

    /// To be called after every commit that wrote outbox rows.
    pub fn committed(&self) {
        self.notify.notify_one();
    }

    /// Resolves at the next signal, at once if one came since the last wait. One waiter at a time.
    pub async fn wait(&self) {
        self.notify.notified().await;
    }
}
