//! A call too many is refused at once: waiting would only make it late as well.

use std::sync::Arc;

use http::{Request, Response};
use tokio::sync::Semaphore;
use tonic::body::Body;

use super::{Around, Next, Stacked};
use crate::status;

/// Refuses a call with RESOURCE_EXHAUSTED while too many are in hand. A stream counts until it is open.
#[derive(Clone, Debug)]
pub struct Overload {
    free: Arc<Semaphore>,
}

impl Overload {
    /// At most `calls_max` in hand.
    pub fn new(calls_max: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(calls_max)) }
    }
}

impl Around for Overload {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        match self.free.try_acquire() {
            Ok(_permit) => next.run(request).await,
            Err(_) => status::overloaded().into_http(),
        }
    }
}
