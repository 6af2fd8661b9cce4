//! How many calls a caller may have open at once. A unary call is open for milliseconds, so this bounds the streams.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use proto::gateway::v1::ErrorReason;
use service_kit::layers::{Around, Next, Stacked};
use service_kit::status;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

use super::caller::Caller;
use crate::telemetry;

/// Refuses with RESOURCE_EXHAUSTED the call that would be one too many. Counted in this instance only.
#[derive(Clone, Debug)]
pub struct OpenCalls {
    per_player_max: u32,
    per_address_max: u32,
    open: Arc<Mutex<HashMap<String, u32>>>,
}

impl OpenCalls {
    /// With the limits for a player, and for an address without tokens.
    pub fn new(per_player_max: u32, per_address_max: u32) -> Self {
        Self { per_player_max, per_address_max, open: Arc::default() }
    }

    fn enter(&self, caller: &Caller) -> Option<Open> {
        let max = match caller {
            Caller::Player(_) => self.per_player_max,
            Caller::Address(_) => self.per_address_max,
        };
        let key = caller.text();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(key.clone()).or_default();
        if *count >= max {
            return None;
        }
        *count += 1;
        Some(Open { key, calls: self.clone() })
    }
}

impl Around for OpenCalls {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        let Some(open) = self.enter(&Caller::of(request.extensions())) else {
            telemetry::call_limited("open_calls");
            let message = "too many calls are open at once";
            return status::exhausted(ErrorReason::RateLimited, message, status::RETRY_AFTER).into_http();
        };
        let response = next.run(request).await;
        if response.body().is_end_stream() {
            return response;
        }
        response.map(|body| Body::new(OpenBody { body, _open: open }))
    }
}

/// One open call; closed when it is dropped.
struct Open {
    key: String,
    calls: OpenCalls,
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut open = self.calls.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.key);
            }
        }
    }
}

/// A body that is a call as long as it lives.
struct OpenBody {
    body: Body,
    _open: Open,
}

impl http_body::Body for OpenBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_ends_makes_room_for_the_next_and_leaves_nothing_behind() {
        let calls = OpenCalls::new(2, 1);
        let player = Caller::Player(uuid::Uuid::now_v7());
        let first = calls.enter(&player).expect("room");
        let second = calls.enter(&player).expect("room");
        assert!(calls.enter(&player).is_none());
        let address = Caller::Address("10.0.0.1".to_owned());
        let third = calls.enter(&address).expect("another caller has room of his own");
        assert!(calls.enter(&address).is_none());
        drop(first);
        let fourth = calls.enter(&player).expect("room again");
        drop((second, third, fourth));
        assert!(calls.open.lock().expect("not poisoned").is_empty());
    }
}
