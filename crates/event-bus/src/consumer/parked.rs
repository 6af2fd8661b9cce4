//! Finds parked messages whose turn has come.

use super::lane::Lanes;
use super::{Shared, inbox};
use crate::Handler;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Streams looked up at once.
const STREAMS_MAX: i64 = 100;

/// Offers ready streams to their lanes, from time to time: a predecessor has arrived, an operator has asked for a retry or
/// has skipped a message.
pub(super) async fn watch<H: Handler>(shared: Arc<Shared<H>>, lanes: Lanes, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = shared.shutdown.cancelled() => return,
            () = tokio::time::sleep(shared.config.parked_interval) => {}
        }
        match inbox::ready_streams(&shared.pool, shared.config.name, STREAMS_MAX).await {
            Ok(streams) => streams.into_iter().for_each(|stream_id| lanes.offer_parked(stream_id)),
            Err(error) => {
                tracing::warn!(consumer = shared.config.name, %error, "parked events cannot be listed")
            }
        }
    }
}
