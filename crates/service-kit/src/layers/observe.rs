//! One span and two metrics for every call, from its first header to the last byte of its answer.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use http::{HeaderMap, Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use metrics::{Counter, Histogram, counter, describe_counter, describe_histogram, histogram};
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
/// The names of the codes, in the order of their numbers.
const CODES: [&str; 17] = [
    "Ok",
    "Cancelled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// The outermost layer: what it does not see did not happen.
#[derive(Clone, Debug)]
pub struct Observe {
    known: Arc<[String]>,
    methods: Methods,
}

/// The methods that turned out to exist, by their paths.
type Methods = Arc<RwLock<HashMap<String, Arc<Method>>>>;

impl Observe {
    /// For the services with these full names; calls of others are counted as unknown.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        // What counts is looked up once and kept, so the recorder must be there before.
        telemetry::metrics_handle();
        describe_counter!(CALLS_HANDLED, "calls that have ended, by service, method and code");
        describe_histogram!(CALL_SECONDS, "seconds from the first header to the last byte of the answer");
        Self { known: known.into_iter().collect(), methods: Methods::default() }
    }

    /// A call of the method at this path.
    fn call(&self, path: &str) -> Call {
        let path = path.trim_start_matches('/');
        let kept = self.methods.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let (method, newcomers) = match kept {
            Some(method) => (method, None),
            None => (Arc::new(Method::at(path, &self.known)), Some(self.methods.clone())),
        };
        let span = info_span!(
            "call",
            otel.name = method.path,
            otel.kind = "server",
            rpc.system = "grpc",
            rpc.service = method.service,
            rpc.method = method.name,
            trace_id = field::Empty,
        );
        Call { method, newcomers, begun: Instant::now(), code: None, span }
    }
}

impl Around for Observe {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        let mut call = self.call(request.uri().path());
        telemetry::continue_trace(&call.span, request.headers());
        if let Some(trace_id) = telemetry::trace_id_of(&call.span) {
            call.span.record("trace_id", trace_id);
        }
        let response = next.run(request).instrument(call.span.clone()).await;
        // An answer without a body has its status among the headers.
        call.read_code(response.headers());
        // What is refused, or does not exist, is answered with a status and nothing else.
        if call.code.is_none() {
            call.keep_method();
        }
        if response.body().is_end_stream() {
            call.code.get_or_insert(Code::Unknown);
            return response;
        }
        response.map(|body| Body::new(ObservedBody { body, call }))
    }
}

/// What is said and counted of one method.
#[derive(Debug)]
struct Method {
    path: String,
    service: String,
    name: String,
    seconds: OnceLock<Histogram>,
    handled: [OnceLock<Counter>; CODES.len()],
}

impl Method {
    fn at(path: &str, known: &[String]) -> Self {
        let (service, name) = match path.split_once('/') {
            Some((service, name)) if known.iter().any(|known| known == service) => (service, name),
            _ => (UNKNOWN, UNKNOWN),
        };
        Self {
            path: format!("{service}/{name}"),
            service: service.to_owned(),
            name: name.to_owned(),
            seconds: OnceLock::new(),
            handled: [const { OnceLock::new() }; CODES.len()],
        }
    }

    fn is_of_known_service(&self) -> bool {
        self.service != UNKNOWN
    }

    fn count(&self, code: Code, seconds: f64) {
        // Whatever method was asked for, there is none by that name.
        let name = if code == Code::Unimplemented { UNKNOWN } else { &self.name };
        let labels = || (self.service.clone(), name.to_owned());
        let histogram = || {
            let (service, method) = labels();
            histogram!(CALL_SECONDS, "service" => service, "method" => method)
        };
        let number = code as usize;
        let counter = || {
            let (service, method) = labels();
            counter!(CALLS_HANDLED, "service" => service, "method" => method, "code" => CODES[number])
        };
        if code == Code::Unimplemented {
            histogram().record(seconds);
        } else {
            self.seconds.get_or_init(histogram).record(seconds);
        }
        self.handled[number].get_or_init(counter).increment(1);
    }
}

/// A call in hand; counted when it is dropped, whichever way it ends.
struct Call {
    method: Arc<Method>,
    /// Where the method is to be kept, if it is not yet: once it has turned out to exist, for callers can think of many.
    newcomers: Option<Methods>,
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

    /// Keeps the method, which has turned out to exist.
    fn keep_method(&mut self) {
        let Some(methods) = self.newcomers.take().filter(|_| self.method.is_of_known_service()) else {
            return;
        };
        let mut methods = methods.write().unwrap_or_else(PoisonError::into_inner);
        self.method = methods.entry(self.method.path.clone()).or_insert_with(|| self.method.clone()).clone();
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // Dropped without a status: the client left, or its connection did.
        let code = self.code.unwrap_or(Code::Cancelled);
        // For the trace alone: after it nothing is logged within this span.
        self.span.set_attribute("grpc.code", CODES[code as usize]);
        self.method.count(code, self.begun.elapsed().as_secs_f64());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_named_as_they_are_written() {
        for (number, name) in (0..).zip(CODES) {
            assert_eq!(format!("{:?}", Code::from_i32(number)), name);
        }
    }

    #[test]
    fn methods_of_services_that_nobody_knows_are_not_kept() {
        let observe = Observe::new(["test.v1.Probe".to_owned()]);
        for (path, kept) in [
            ("/test.v1.Other/Read", 0),
            ("/unknown/Read", 0),
            ("nonsense", 0),
            ("/test.v1.Probe/Read", 1),
            ("/test.v1.Probe/Read", 1),
            ("/test.v1.Probe/Write", 2),
        ] {
            let (mut one, mut other) = (observe.call(path), observe.call(path));
            one.keep_method();
            other.keep_method();
            assert_eq!(observe.methods.read().expect("whole").len(), kept, "{path}");
            assert_eq!(Arc::ptr_eq(&one.method, &other.method), kept > 0, "{path}");
        }
    }
}
