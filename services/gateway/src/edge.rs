//! The one port for clients: gRPC, gRPC-Web, and whatever else is asked.

mod caller;
mod clean_headers;
mod cors;
mod dispatch;
mod endpoints;
mod open_calls;
mod pages;
mod rate_limit;
mod relayed_body;
mod statement_file;
mod upstream;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, Request, Response, StatusCode};
use service_kit::auth::Verifier;
use service_kit::layers::{
    Authenticate, CatchPanic, Deadline, Malformed, Observe, Overload, RequestLimit, Stack, Stacked,
};
use service_kit::server::CALLS_MAX;
use tonic::body::Body;
use tonic_web::GrpcWebLayer;
use tower::{Service, ServiceBuilder};

pub use caller::Callers;
pub use cors::BadOrigin;
pub use dispatch::{Dispatch, LocalService, SERVICE_HEADER};
pub use open_calls::OpenCalls;
pub use pages::{BadPages, Pages};
pub use rate_limit::RateLimit;
pub use upstream::{BadUpstream, Upstream};

/// How long a request may be, framing included. The largest that we have is a few hundred bytes.
pub const REQUEST_BYTES_MAX: u64 = 256 * 1024;
/// How long a unary call, or the opening of a stream, may take: a little more than the services allow themselves, so that
/// their answer comes first.
pub const CALL_MAX: Duration = Duration::from_secs(12);

/// What the layers of the edge are made of.
pub struct EdgeParts {
    /// Pages that may call.
    pub allowed_origins: Vec<String>,
    /// Verifies tokens, to know whose limits count.
    pub verifier: Verifier,
    /// Tells callers apart.
    pub callers: Callers,
    /// Limits calls in time.
    pub rate_limit: RateLimit,
    /// Limits calls at once.
    pub open_calls: OpenCalls,
    /// Where a call goes.
    pub dispatch: Dispatch,
    /// The web client, if one is served.
    pub pages: Option<Pages>,
}

/// The edge as a service, with its layers, outermost first.
///
/// # Errors
/// When an allowed origin is malformed.
pub fn edge(parts: EdgeParts) -> Result<Edge<impl Stacked>, BadOrigin> {
    let names = parts.dispatch.service_names();
    let grpc = ServiceBuilder::new()
        // Outermost: a page sees an answer, refusals included, only with these headers.
        .layer(cors::layer(&parts.allowed_origins)?)
        // Below here there is only gRPC; what any layer answers goes out in the caller's own protocol.
        .layer(GrpcWebLayer::new())
        // What any other layer answers is seen and counted too.
        .layer(Stack(Observe::new(names)))
        .layer(Stack(CatchPanic))
        // Before anything reads a header that only we may set.
        .layer(Stack(clean_headers::CleanHeaders::new(parts.callers)))
        // Before any work is done for the call.
        .layer(Stack(Overload::new(CALLS_MAX)))
        // The limits below count by player.
        .layer(Stack(Authenticate::new(parts.verifier)))
        .layer(Stack(parts.rate_limit))
        .layer(Stack(parts.open_calls))
        .layer(Stack(Deadline::new(CALL_MAX)))
        // Innermost: it only wraps the body that is read or passed on.
        .layer(Stack(Malformed))
        .layer(Stack(RequestLimit::new(REQUEST_BYTES_MAX)))
        .service(parts.dispatch);
    Ok(Edge { grpc, pages: parts.pages })
}

/// Sorts gRPC from the rest of HTTP.
#[derive(Clone)]
pub struct Edge<S> {
    grpc: S,
    pages: Option<Pages>,
}

impl<S: Stacked> Service<Request<Body>> for Edge<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.grpc.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let grpc = request
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
        // A preflight is the beginning of a gRPC-Web call.
        if grpc || request.method() == Method::OPTIONS {
            return Box::pin(self.grpc.call(request));
        }
        if let Some(format) = statement_file::format_of(&request) {
            // The one that is ready answers, and a new one takes its place, as with any service that is cloned.
            let fresh = self.grpc.clone();
            let ready = std::mem::replace(&mut self.grpc, fresh);
            return Box::pin(async move { Ok(statement_file::answer(ready, format, request).await) });
        }
        let response = match &self.pages {
            Some(pages) => pages.answer(&request),
            None => {
                pages::plain(StatusCode::NOT_FOUND, "not found: only gRPC and gRPC-Web are served here\n")
            }
        };
        Box::pin(std::future::ready(Ok(response)))
    }
}
