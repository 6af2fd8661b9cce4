//! The layers around every call, one file each. [`crate::server`] stacks them and says why in which order.
//!
//! Each is an [`Around`]: one asynchronous function from the request and what comes next to the response.

mod authenticate;
mod catch_panic;
mod deadline;
mod malformed;
mod observe;
mod overload;
mod request_limit;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};

pub use authenticate::Authenticate;
pub use catch_panic::CatchPanic;
pub use deadline::Deadline;
pub use malformed::Malformed;
pub use observe::{CALL_SECONDS, CALLS_HANDLED, Observe};
pub use overload::Overload;
pub use request_limit::RequestLimit;

/// What a layer does with a call.
pub trait Around: Clone + Send + Sync + 'static {
    /// Handles the call; `next` is the rest of the stack.
    fn around<S: Stacked>(
        &self,
        request: Request<Body>,
        next: Next<S>,
    ) -> impl Future<Output = Response<Body>> + Send;
}

/// A service that takes and gives HTTP with tonic's bodies and does not fail: failures are responses.
pub trait Stacked:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<S> Stacked for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}

/// The rest of the stack, for one call.
pub struct Next<S>(S);

impl<S: Stacked> Next<S> {
    /// Hands the call on.
    pub async fn run(mut self, request: Request<Body>) -> Response<Body> {
        match self.0.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// An [`Around`] as a layer of tower.
#[derive(Clone, Debug)]
pub struct Stack<A>(pub A);

impl<A: Around, S> Layer<S> for Stack<A> {
    type Service = StackedService<A, S>;

    fn layer(&self, inner: S) -> Self::Service {
        StackedService { around: self.0.clone(), inner }
    }
}

/// A service with one layer around it.
#[derive(Clone, Debug)]
pub struct StackedService<A, S> {
    around: A,
    inner: S,
}

impl<A: Around, S: Stacked> Service<Request<Body>> for StackedService<A, S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // The service that was polled ready takes the call; its clone waits for the next.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        let around = self.around.clone();
        Box::pin(async move { Ok(around.around(request, Next(ready)).await) })
    }
}
