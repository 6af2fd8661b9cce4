//! What concerns all instances, on one plain subject of the broker: nothing is kept of it, and the client takes up its subscription
//! again by itself when the connection was lost.

use std::time::Duration;

use async_nats::Client;
use futures::StreamExt as _;
use prost::Message as _;
use proto::game::v1 as pb;
use tokio::sync::{Notify, mpsc, watch};
use uuid::Uuid;

use crate::app::Notice;

/// Where notices are said.
const SUBJECT: &str = "note.game";
/// When it is tried again to listen.
const LISTEN_AGAIN_AFTER: Duration = Duration::from_millis(200);

/// Who is told of the notices of others.
#[derive(Debug)]
pub struct Ears {
    /// Of instances that came, went, or gave shards up.
    pub roll_changed: std::sync::Arc<Notify>,
    /// Of tables; counts them.
    pub tables: watch::Sender<u64>,
}

/// Says the notices of this instance, and hears those of the others, for ever: what is said last is that it goes.
pub async fn run(client: Client, instance_id: Uuid, mut said: mpsc::Receiver<Notice>, ears: Ears) {
    loop {
        let Ok(mut heard) = client.subscribe(SUBJECT).await else {
            tokio::time::sleep(LISTEN_AGAIN_AFTER).await;
            continue;
        };
        loop {
            tokio::select! {
                notice = said.recv() => match notice {
                    Some(notice) => say(&client, instance_id, notice).await,
                    None => return,
                },
                message = heard.next() => match message {
                    Some(message) => hear(instance_id, &message.payload, &ears),
                    None => break,
                },
            }
        }
    }
}

async fn say(client: &Client, instance_id: Uuid, notice: Notice) {
    let kind = match notice {
        Notice::Roll => pb::InstanceNoticeKind::Roll,
        Notice::Tables => pb::InstanceNoticeKind::Tables,
    };
    let message = pb::InstanceNotice { from_instance_id: instance_id.to_string(), kind: kind.into() };
    if let Err(error) = client.publish(SUBJECT, message.encode_to_vec().into()).await {
        tracing::debug!(%error, "a notice was not sent");
    }
    // It may be the last thing that this process says.
    let _ = client.flush().await;
}

fn hear(instance_id: Uuid, payload: &[u8], ears: &Ears) {
    let Ok(notice) = pb::InstanceNotice::decode(payload) else { return };
    if notice.from_instance_id == instance_id.to_string() {
        return;
    }
    match notice.kind() {
        pb::InstanceNoticeKind::Roll => ears.roll_changed.notify_one(),
        pb::InstanceNoticeKind::Tables => ears.tables.send_modify(|count| *count += 1),
        pb::InstanceNoticeKind::Unspecified => {}
    }
}
