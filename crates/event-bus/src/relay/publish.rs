//! Publishing a batch: streams side by side, each stream in its order.

use super::PUBLISH_IN_FLIGHT_MAX;
use super::outbox::{Entry, Mark};
use crate::Bus;
use async_nats::jetstream::context::PublishError;
use futures::StreamExt as _;
use std::collections::HashMap;
use uuid::Uuid;

/// What became of a batch.
#[derive(Default)]
pub(super) struct Published {
    /// The rows whose message the broker has.
    pub(super) marks: Vec<Mark>,
    pub(super) stored: u64,
    pub(super) duplicates: u64,
    pub(super) first_error: Option<PublishError>,
}

/// Publishes and waits for all answers. A stream whose message fails is left at that message (BUS-2), the others go on.
pub(super) async fn publish_all(bus: &Bus, entries: Vec<Entry>) -> Published {
    futures::stream::iter(by_stream(entries))
        .map(|entries| publish_in_order(bus, entries))
        .buffer_unordered(PUBLISH_IN_FLIGHT_MAX)
        .fold(Published::default(), |mut all, one| async move {
            all.marks.extend(one.marks);
            all.stored += one.stored;
            all.duplicates += one.duplicates;
            all.first_error = all.first_error.or(one.first_error);
            all
        })
        .await
}

async fn publish_in_order(bus: &Bus, entries: Vec<Entry>) -> Published {
    let mut published = Published::default();
    for entry in entries {
        match publish(bus, &entry).await {
            // A duplicate is what an earlier try has stored although its answer was lost: success (G01, G09).
            Ok(IsDuplicate(true)) => published.duplicates += 1,
            Ok(IsDuplicate(false)) => published.stored += 1,
            Err(error) => {
                published.first_error = Some(error);
                break;
            }
        }
        published.marks.push(entry.mark);
    }
    published
}

struct IsDuplicate(bool);

async fn publish(bus: &Bus, entry: &Entry) -> Result<IsDuplicate, PublishError> {
    let message = &entry.message;
    let headers = message.headers(entry.mark.generation);
    // The first wait hands over to the client, the second is the broker's answer.
    let answer =
        bus.jetstream().publish_with_headers(message.subject(), headers, message.data.clone().into()).await?;
    Ok(IsDuplicate(answer.await?.duplicate))
}

/// Groups by stream and keeps the order, of the streams' first rows too.
fn by_stream(entries: Vec<Entry>) -> Vec<Vec<Entry>> {
    let mut groups: Vec<Vec<Entry>> = Vec::new();
    let mut group_of: HashMap<Uuid, usize> = HashMap::new();
    for entry in entries {
        let group = *group_of.entry(entry.message.stream_id).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(entry);
    }
    groups
}
