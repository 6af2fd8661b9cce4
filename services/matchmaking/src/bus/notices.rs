//! The notices of the instances to each other, on a plain subject of the broker: nothing is kept of them. The client takes up
//! its subscription again by itself when the connection was lost.

use std::error::Error;

use event_bus::Bus;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::cities::{Cities, TimeControl};
use crate::app::leader::{Nudge, Nudges};
use crate::app::notices::Notice;
use crate::app::queue::Queue;
use crate::app::tickets::QueueKey;

/// Where they are said.
const SUBJECT: &str = "note.matchmaking";

/// Who is told of the notices of others.
#[derive(Debug, Clone)]
pub struct Ears {
    /// Of matches and tickets.
    pub queue: Queue,
    /// Of queues.
    pub nudges: Nudges,
    /// Of cities.
    pub cities: Cities,
}

/// A notice on the wire. What another version does not know it passes over.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    from: Uuid,
    #[serde(flatten)]
    what: What,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
enum What {
    Match { match_id: Uuid, players: [Uuid; 2] },
    Ticket { player_id: Uuid },
    Queue { city_id: String, base_ms: i64, increment_ms: i64 },
    Cities,
}

/// Sends the notices of this instance and hears those of the others until `shutdown`.
pub async fn run(
    bus: Bus,
    instance: Uuid,
    mut outbox: mpsc::Receiver<Notice>,
    ears: Ears,
    shutdown: CancellationToken,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut heard = bus.client().subscribe(SUBJECT).await?;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            notice = outbox.recv() => match notice {
                Some(notice) => {
                    let said = Said { from: instance, what: notice.into() };
                    let text = serde_json::to_vec(&said).expect("a notice has no map with keys that are no text");
                    if let Err(error) = bus.client().publish(SUBJECT, text.into()).await {
                        tracing::debug!(%error, "notice not sent");
                    }
                }
                None => return Ok(()),
            },
            message = heard.next() => match message {
                Some(message) => match serde_json::from_slice::<Said>(&message.payload) {
                    Ok(said) if said.from != instance => tell(&ears, said.what.into()),
                    Ok(_) => {}
                    Err(error) => tracing::debug!(%error, "notice not understood"),
                },
                None => heard = bus.client().subscribe(SUBJECT).await?,
            },
        }
    }
}

fn tell(ears: &Ears, notice: Notice) {
    match notice {
        Notice::Match { .. } | Notice::Ticket { .. } => ears.queue.heard(notice),
        Notice::Queue(queue) => ears.nudges.send(Nudge::FromElsewhere(queue)),
        Notice::Cities => ears.cities.are_outdated(),
    }
}

impl From<Notice> for What {
    fn from(notice: Notice) -> Self {
        match notice {
            Notice::Match { match_id, players } => Self::Match { match_id, players },
            Notice::Ticket { player_id } => Self::Ticket { player_id },
            Notice::Queue(queue) => Self::Queue {
                city_id: queue.city_id,
                base_ms: queue.time_control.base_ms,
                increment_ms: queue.time_control.increment_ms,
            },
            Notice::Cities => Self::Cities,
        }
    }
}

impl From<What> for Notice {
    fn from(what: What) -> Self {
        match what {
            What::Match { match_id, players } => Self::Match { match_id, players },
            What::Ticket { player_id } => Self::Ticket { player_id },
            What::Queue { city_id, base_ms, increment_ms } => {
                Self::Queue(QueueKey { city_id, time_control: TimeControl { base_ms, increment_ms } })
            }
            What::Cities => Self::Cities,
        }
    }
}
