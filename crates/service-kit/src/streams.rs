//! What turns a source of frames into a server stream: heartbeats, draining, and an end that is never a clean one by mistake.
//!
//! ```text
//! let stream = Live::new(frames, WatchFrames { sequence: 0 }, shutdown.clone()).until(principal.expires_at).boxed();
//! Ok(Response::new(stream))
//! ```

#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::time::{Duration, SystemTime};

use futures::{Stream, StreamExt, stream};
use proto::types::v1::CommonErrorReason;
use rand::Rng;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::status;

/// A stream is silent for at most so long.
pub const HEARTBEAT_EVERY: Duration = Duration::from_secs(8);
/// A client that is sent away comes back after at least so long, …
const RECONNECT_AFTER_MS_MIN: u32 = 100;
/// … and at most so long: spread, so that not all come at once.
const RECONNECT_AFTER_MS_MAX: u32 = 1_000;
/// A stream that nobody bounds by a token.
const NO_END: Duration = Duration::from_secs(30 * 24 * 3600);

/// What a handler with a server stream answers.
pub type FrameStream<F> = Pin<Box<dyn Stream<Item = Result<F, Status>> + Send>>;

/// The frames that are not content, as each service words them.
pub trait Pulse<F>: Send + 'static {
    /// Sees every frame that goes out, to remember its sequence.
    fn sent(&mut self, frame: &F);

    /// A sign of life; repeats the last sequence.
    fn heartbeat(&mut self) -> F;

    /// This instance is about to stop; repeats the last sequence.
    fn draining(&mut self, reconnect_after_ms: u32) -> F;
}

/// A server stream in the making.
pub struct Live<F, S, P> {
    source: S,
    pulse: P,
    shutdown: CancellationToken,
    until: Option<SystemTime>,
    heartbeat_every: Duration,
    frame: std::marker::PhantomData<fn() -> F>,
}

impl<F, S, P> Live<F, S, P>
where
    F: Send + 'static,
    S: Stream<Item = Result<F, Status>> + Send + 'static,
    P: Pulse<F>,
{
    /// Sends what `source` gives. When the source ends the stream ends OK; when it gives an error the stream ends with
    /// it; when `shutdown` is cancelled it ends with a draining frame and UNAVAILABLE.
    pub fn new(source: S, pulse: P, shutdown: CancellationToken) -> Self {
        Self {
            source,
            pulse,
            shutdown,
            until: None,
            heartbeat_every: HEARTBEAT_EVERY,
            frame: std::marker::PhantomData,
        }
    }

    /// Another pause than [`HEARTBEAT_EVERY`], for tests.
    pub fn heartbeat_every(mut self, pause: Duration) -> Self {
        self.heartbeat_every = pause;
        self
    }

    /// Ends the stream with UNAUTHENTICATED at that time: for streams of what only the caller may see.
    pub fn until(mut self, token_ends_at: SystemTime) -> Self {
        self.until = Some(token_ends_at);
        self
    }

    /// The stream.
    pub fn boxed(self) -> FrameStream<F> {
        let left = self.until.map(|until| until.duration_since(SystemTime::now()).unwrap_or_default());
        let token_end = Instant::now() + left.unwrap_or(NO_END).min(NO_END);
        let silent_until = token_end.min(Instant::now() + self.heartbeat_every);
        let state = State {
            source: Box::pin(self.source),
            pulse: self.pulse,
            shutdown: self.shutdown,
            heartbeat_every: self.heartbeat_every,
            token_end,
            silence: Box::pin(tokio::time::sleep_until(silent_until)),
            phase: Phase::Open,
        };
        Box::pin(stream::unfold(state, State::next))
    }
}

enum Phase {
    Open,
    /// The draining frame is out; the status follows.
    Drained,
    Ended,
}

struct State<S, P> {
    source: Pin<Box<S>>,
    pulse: P,
    shutdown: CancellationToken,
    heartbeat_every: Duration,
    token_end: Instant,
    /// Until the next heartbeat or the token's end, whichever comes first: one timer, for there are many streams.
    silence: Pin<Box<Sleep>>,
    phase: Phase,
}

impl<S, P> State<S, P> {
    fn wait_again(&mut self) {
        let until = self.token_end.min(Instant::now() + self.heartbeat_every);
        self.silence.as_mut().reset(until);
    }

    async fn next<F>(mut self) -> Option<(Result<F, Status>, Self)>
    where
        S: Stream<Item = Result<F, Status>>,
        P: Pulse<F>,
    {
        let item = match self.phase {
            Phase::Open => self.next_open().await?,
            Phase::Drained => {
                self.phase = Phase::Ended;
                Err(status::unavailable(
                    "this instance is about to stop; resume elsewhere",
                    status::RETRY_AFTER,
                ))
            }
            Phase::Ended => return None,
        };
        Some((item, self))
    }

    async fn next_open<F>(&mut self) -> Option<Result<F, Status>>
    where
        S: Stream<Item = Result<F, Status>>,
        P: Pulse<F>,
    {
        tokio::select! {
            // In this order, so that a source that never pauses cannot hold up a stop.
            biased;
            () = self.shutdown.cancelled() => {
                self.phase = Phase::Drained;
                let after_ms = rand::rng().random_range(RECONNECT_AFTER_MS_MIN..=RECONNECT_AFTER_MS_MAX);
                Some(Ok(self.pulse.draining(after_ms)))
            }
            () = self.silence.as_mut() => {
                if Instant::now() >= self.token_end {
                    self.phase = Phase::Ended;
                    let message = "the access token has ended; resume with a new one";
                    return Some(Err(status::unauthenticated(CommonErrorReason::TokenExpired, message)));
                }
                self.wait_again();
                Some(Ok(self.pulse.heartbeat()))
            }
            item = self.source.next() => {
                match &item {
                    Some(Ok(frame)) => {
                        self.pulse.sent(frame);
                        self.wait_again();
                    }
                    Some(Err(_)) => self.phase = Phase::Ended,
                    None => {}
                }
                item
            }
        }
    }
}
