//! The messages this process holds, and the requests for more time for them.

use super::Shared;
use crate::Handler;
use async_nats::jetstream::{self, AckKind};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Requests for time in one `ack_wait`.
const REQUESTS_PER_ACK_WAIT: u32 = 3;

/// Messages that were delivered here and are not acknowledged yet.
#[derive(Default)]
pub(super) struct InFlight {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    next_key: u64,
    messages: HashMap<u64, Arc<jetstream::Message>>,
}

/// Names a message in [`InFlight`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Key(u64);

impl InFlight {
    pub(super) fn insert(&self, message: Arc<jetstream::Message>) -> Key {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let key = held.next_key;
        held.next_key += 1;
        held.messages.insert(key, message);
        Key(key)
    }

    pub(super) fn remove(&self, key: Key) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).messages.remove(&key.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).messages.is_empty()
    }

    fn all(&self) -> Vec<Arc<jetstream::Message>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).messages.values().cloned().collect()
    }
}

/// Asks the broker for more time for every message that waits in a lane or is being handled, so that slow work is not
/// delivered a second time. A handler's own limit ends it, so this does not go on for ever.
pub(super) async fn keep_alive<H: Handler>(shared: Arc<Shared<H>>, stop: CancellationToken) {
    let interval = shared.config.ack_wait / REQUESTS_PER_ACK_WAIT;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(interval) => {}
        }
        for message in shared.in_flight.all() {
            if let Err(error) = message.ack_with(AckKind::Progress).await {
                tracing::debug!(consumer = shared.config.name, error, "more time could not be asked for");
                break;
            }
        }
    }
}
