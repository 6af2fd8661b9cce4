//! One span and two metrics for every call, from its first header to the last byte of its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use http::{HeaderMap, Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use metrics::{counter, describe_counter, describe_histogram, histogram};
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::{Code, Status};
use tracing::{Instrument, Span, field, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::{Around, Next, Stacked};
use crate::telemetry;

/// Counts calls that have ended, by service, method and code.
pub const CALLS_HANDLED: &str = "grpc_server_handled_total";
/// Seconds from the first header to the last byte of the answer, by service and method; a stream's whole life.
pub const CALL_SECONDS: &str = "grpc_server_handling_seconds";
/// Stands for every name that we do not serve: callers must not be able to make labels.
const UNKNOWN: &str = "unknown";

/// The outermost layer: what it does not see did not happen.
#[derive(Clone, Debug)]
pub struct Observe {
    known: Arc<[String]>,
}

impl Observe {
    /// For the services with these full names; calls of others are counted as unknown.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        describe_counter!(CALLS_HANDLED, "calls that have ended, by service, method and code");
        describe_histogram!(CALL_SECONDS, "seconds from the first header to the last byte of the answer");
        Self { known: known.into_iter().collect() }
    }

    fn names(&self, path: &str) -> (String, String) {
        let mut parts = path.trim_start_matches('/').splitn(2, '/');
        let (service, method) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if self.known.iter().any(|known| known == service) {
            (service.to_owned(), method.to_owned())
        } else {
            (UNKNOWN.to_owned(), UNKNOWN.to_owned())
        }
    }
}

impl Around for Observe {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        let (service, method) = self.names(request.uri().path());
        let span = info_span!(
            "call",
            otel.name = format!("{service}/{method}"),
            otel.kind = "server",
            rpc.system = "grpc",
            rpc.service = service,
            rpc.method = method,
            trace_id = field::Empty,
        );
        telemetry::continue_trace(&span, request.headers());
        if let Some(trace_id) = telemetry::trace_id_of(&span) {
            span.record("trace_id", trace_id);
        }
        let mut call = Call { service, method, begun: Instant::now(), code: None, span: span.clone() };
        let response = next.run(request).instrument(span).await;
        // An answer without a body has its status among the headers.
        call.read_code(response.headers());
        if response.body().is_end_stream() {
            call.code.get_or_insert(Code::Unknown);
            return response;
        }
        response.map(|body| Body::new(ObservedBody { body, call }))
    }
}

/// A call in hand; counted when it is dropped, whichever way it ends.
struct Call {
    service: String,
    method: String,
    begun: Instant,
    code: Option<Code>,
    span: Span,
}

impl Call {
    fn read_code(&mut self, headers: &HeaderMap) {
        if let Some(value) = headers.get(Status::GRPC_STATUS) {
            self.code = Some(Code::from_bytes(value.as_bytes()));
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // Dropped without a status: the client left, or its connection did.
        let code = self.code.unwrap_or(Code::Cancelled);
        let code_name = format!("{code:?}");
        // For the trace alone: after it nothing is logged within this span.
        self.span.set_attribute("grpc.code", code_name.clone());
        let service = std::mem::take(&mut self.service);
        let method = match code {
            // Whatever method was asked for, there is none by that name.
            Code::Unimplemented => UNKNOWN.to_owned(),
            _ => std::mem::take(&mut self.method),
        };
        let seconds = self.begun.elapsed().as_secs_f64();
        histogram!(CALL_SECONDS, "service" => service.clone(), "method" => method.clone()).record(seconds);
        counter!(CALLS_HANDLED, "service" => service, "method" => method, "code" => code_name).increment(1);
    }
}

/// The answer's body: polled within the span, and read for the status at its end.
struct ObservedBody {
    body: Body,
    call: Call,
}

impl http_body::Body for ObservedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let frame = {
            let _entered = this.call.span.enter();
            ready!(Pin::new(&mut this.body).poll_frame(context))
        };
        match &frame {
            Some(Ok(frame)) => {
                if let Some(trailers) = frame.trailers_ref() {
                    this.call.read_code(trailers);
                }
            }
            Some(Err(status)) => this.call.code = Some(status.code()),
            None => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
