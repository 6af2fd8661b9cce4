//! A durable consumer: pulls messages, hands each to the lane of its stream, and takes what is parked up again.
//!
//! ```text
//! broker ─► intake ─┬─► lane 0: inbox, handler, commit, acknowledge
//!                   ├─► lane 1 …            (a stream always goes to the same lane)
//! dead letters ─► parked ─┘
//! ```
//! The intake can fail and start over at any time; the lanes go on. Every lane is a task of its own, so that nobody's
//! leaving drops a transaction half-way.

mod attempt;
mod batch;
mod in_flight;
mod inbox;
mod intake;
mod lane;
mod parked;

use crate::backoff::Backoff;
use crate::standing::Followed;
use crate::{Bus, Handler, telemetry};
use event_store::CommitSignal;
use in_flight::InFlight;
use lane::{Lane, Lanes};
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a stopping consumer waits for the handlers that are running.
const STOP_WAIT_MAX: Duration = Duration::from_secs(8);

/// What a consumer follows, and how patient it is.
#[derive(Debug, Clone)]
pub struct ConsumerConfig {
    /// The durable name, `<service>_<purpose>`: the broker's cursor and our inbox go by it.
    pub name: &'static str,
    /// The service whose events it follows.
    pub source_service: &'static str,
    /// All public events of a kind of streams, `evt.<service>.<stream kind>.>`. A narrower filter would look like gaps.
    pub filter_subject: String,
    /// Streams that may be handled at once; each handler holds a connection of the pool.
    pub lanes: usize,
    /// How soon the messages of a process that died go to another. While a process lives it keeps asking for time.
    pub ack_wait: Duration,
    /// Transient failures before a message is parked.
    pub attempts_max: u32,
    /// Delays between tries, doubling from the first to the second.
    pub backoff_min: Duration,
    pub backoff_max: Duration,
    /// Deliveries of a message that is ahead of its predecessor before it waits in the database rather than at the broker.
    pub gap_attempts_max: u32,
    /// Messages delivered and not yet acknowledged.
    pub in_flight_max: usize,
    /// How long a handler may take before its transaction is given up.
    pub handle_time_max: Duration,
    /// Silence of the broker, in spite of messages that wait, after which the consumer subscribes anew.
    pub stall_after: Duration,
    /// How often parked messages are looked at.
    pub parked_interval: Duration,
}

impl ConsumerConfig {
    /// Follows the streams of `stream_kind` in `source_service`, with the usual patience.
    pub fn new(name: &'static str, source_service: &'static str, stream_kind: &str) -> Self {
        Self {
            name,
            source_service,
            filter_subject: format!("evt.{source_service}.{stream_kind}.>"),
            lanes: 8,
            ack_wait: Duration::from_secs(20),
            attempts_max: 10,
            backoff_min: Duration::from_millis(100),
            backoff_max: Duration::from_secs(30),
            gap_attempts_max: 5,
            in_flight_max: 256,
            handle_time_max: Duration::from_secs(60),
            stall_after: Duration::from_secs(30),
            parked_interval: Duration::from_secs(1),
        }
    }

    fn backoff(&self) -> Backoff {
        Backoff { min: self.backoff_min, max: self.backoff_max }
    }
}

/// What intake, lanes and the parked messages' task share.
struct Shared<H> {
    pool: PgPool,
    bus: Bus,
    config: ConsumerConfig,
    handler: H,
    signal: CommitSignal,
    shutdown: CancellationToken,
    in_flight: InFlight,
    /// Acknowledgements under way, off the lanes: the effect is committed, the stream's next message need not wait.
    acknowledgements: TaskTracker,
}

/// Follows another service's events until `shutdown`, then finishes the handlers that are running and gives the other
/// messages back to the broker. Several processes may run it under one name and share the work. `signal` is set after
/// each commit, because handlers usually append events of their own.
pub async fn run_consumer<H: Handler>(
    pool: PgPool,
    bus: Bus,
    config: ConsumerConfig,
    handler: H,
    signal: CommitSignal,
    shutdown: CancellationToken,
) {
    telemetry::describe();
    bus.note_followed(Followed { consumer: config.name, source_service: config.source_service });
    let shared = Arc::new(Shared {
        pool,
        bus,
        config,
        handler,
        signal,
        shutdown,
        in_flight: InFlight::default(),
        acknowledgements: TaskTracker::new(),
    });
    let tasks = TaskTracker::new();
    // Ends the helpers also when this future is dropped rather than told to stop.
    let stop_helpers = CancellationToken::new();
    let _stop_on_drop = stop_helpers.clone().drop_guard();
    let lanes = start_lanes(&shared, &tasks);
    tasks.spawn(in_flight::keep_alive(shared.clone(), stop_helpers.clone()));
    tasks.spawn(parked::watch(shared.clone(), lanes.clone(), stop_helpers.clone()));
    tasks.close();

    intake::run(&shared, &lanes).await;

    drop(lanes);
    stop_helpers.cancel();
    shared.acknowledgements.close();
    let stopped = async {
        tasks.wait().await;
        shared.acknowledgements.wait().await;
    };
    if tokio::time::timeout(STOP_WAIT_MAX, stopped).await.is_err() {
        tracing::warn!(consumer = shared.config.name, "handlers are still running at the stop");
    }
}

fn start_lanes<H: Handler>(shared: &Arc<Shared<H>>, tasks: &TaskTracker) -> Lanes {
    let (lanes, receivers) = Lanes::new(shared.config.lanes, shared.config.in_flight_max);
    for receiver in receivers {
        tasks.spawn(Lane::new(shared.clone(), receiver).run());
    }
    lanes
}
