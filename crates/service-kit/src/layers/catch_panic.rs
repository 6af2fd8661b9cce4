//! A panic in a handler is that call's failure and no more.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use http::{Request, Response};
use tonic::Status;
use tonic::body::Body;

use super::{Around, Next, Stacked};

/// Answers INTERNAL when the handler panics.
#[derive(Clone, Copy, Debug)]
pub struct CatchPanic;

impl Around for CatchPanic {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        // Nothing of the call survives it, so no broken state can be seen.
        match AssertUnwindSafe(next.run(request)).catch_unwind().await {
            Ok(response) => response,
            Err(panic) => {
                tracing::error!(cause = text(&*panic), "a handler panicked");
                Status::internal("internal error").into_http()
            }
        }
    }
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("not a text")
}
