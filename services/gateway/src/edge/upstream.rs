//! A service behind the gateway. Calls are passed on without being understood: headers, messages and trailers as they come.
//!
//! A request is one message (no client of ours streams), so it is gathered first: a request that is too long, or breaks off,
//! is then refused here with its reason, and never begins at the service. An answer goes through frame by frame.

use std::time::Duration;

use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderValue, Method, Request, Response, Uri, Version, header};
use http_body::Body as _;
use http_body_util::{BodyExt, Full};
use service_kit::status::{self, RETRY_AFTER};
use service_kit::telemetry::inject_trace;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::transport::{Channel, Endpoint};
use tower::{Service, ServiceExt};

use super::relayed_body::RelayedBody;
use crate::telemetry;

/// How long a connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// A silent connection is asked for a sign of life so often, …
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
/// … and given up when none came for so long; its streams end with UNAVAILABLE.
const KEEPALIVE_MAX: Duration = Duration::from_secs(5);
/// How much of one answer is held here for a client that does not read, …
const UNREAD_BYTES_PER_CALL_MAX: u32 = 64 * 1024;
/// … and of all answers together. Far more than the clients' limits allow, since at this point every call of everybody would
/// stand still: all share the connection.
const UNREAD_BYTES_MAX: u32 = 1024 * 1024 * 1024;

/// The address of a service is malformed.
#[derive(Debug, thiserror::Error)]
#[error("the address of the {service} service is malformed")]
pub struct BadUpstream {
    service: &'static str,
    source: tonic::transport::Error,
}

/// A service behind the gateway.
#[derive(Clone)]
pub struct Upstream {
    service: &'static str,
    /// The service's full name; every other of its package is passed on too.
    name: &'static str,
    channel: Channel,
    /// Cancelled when open streams have to end because the gateway stops.
    cut: CancellationToken,
}

impl Upstream {
    /// Connects when first needed, and again whenever the connection was lost.
    ///
    /// # Errors
    /// When the address is malformed.
    pub fn new(
        service: &'static str,
        name: &'static str,
        url: &str,
        cut: CancellationToken,
    ) -> Result<Self, BadUpstream> {
        let endpoint =
            Endpoint::from_shared(url.to_owned()).map_err(|source| BadUpstream { service, source })?;
        let channel = endpoint
            .connect_timeout(CONNECT_MAX)
            .http2_keep_alive_interval(KEEPALIVE_EVERY)
            .keep_alive_timeout(KEEPALIVE_MAX)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(UNREAD_BYTES_PER_CALL_MAX)
            .initial_connection_window_size(UNREAD_BYTES_MAX)
            .connect_lazy();
        Ok(Self { service, name, channel, cut })
    }

    /// The short name, as wallet.
    pub(super) fn service(&self) -> &'static str {
        self.service
    }

    pub(super) fn service_name(&self) -> &'static str {
        self.name
    }

    /// Whether the service with this full name is here: `stakemate.<service>.v1.*`.
    pub(super) fn serves(&self, name: &str) -> bool {
        let package = name.strip_prefix("stakemate.").and_then(|rest| rest.strip_prefix(self.service));
        package.is_some_and(|rest| rest.starts_with(".v1."))
    }

    /// Passes a call on. Dropping the future or the answer's body cancels the call there too.
    pub(super) async fn relay(mut self, request: Request<Body>) -> Response<Body> {
        if request.method() != Method::POST {
            return Status::invalid_argument("a call is a POST").into_http();
        }
        let (parts, body) = request.into_parts();
        let message = match body.collect().await {
            Ok(gathered) => gathered.to_bytes(),
            Err(refusal) => return refusal.into_http(),
        };
        let answered = match self.channel.ready().await {
            Ok(channel) => channel.call(outgoing(parts, message)).await,
            Err(error) => Err(error),
        };
        match answered {
            Ok(response) => self.incoming(response),
            Err(error) => {
                tracing::warn!(
                    service = self.service,
                    error = &error as &dyn std::error::Error,
                    "a call could not be passed on"
                );
                unavailable(self.service).into_http()
            }
        }
    }

    fn incoming(&self, response: Response<Body>) -> Response<Body> {
        // Such an answer has its status among the headers.
        if response.body().is_end_stream() {
            return response;
        }
        let has_status = response.headers().contains_key(Status::GRPC_STATUS);
        let service = self.service;
        let cut = self.cut.clone();
        response.map(|body| if has_status { body } else { Body::new(RelayedBody::new(body, service, cut)) })
    }
}

/// UNAVAILABLE, counted.
pub(super) fn unavailable(service: &'static str) -> Status {
    telemetry::upstream_down(service);
    status::unavailable(format!("the {service} service cannot be reached"), RETRY_AFTER)
}

/// The request as it goes on: only the path, the headers and the message.
fn outgoing(parts: Parts, message: Bytes) -> Request<Body> {
    let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    let mut headers = parts.headers;
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    inject_trace(&mut headers);
    let mut outgoing = Request::new(Body::new(Full::new(message)));
    *outgoing.method_mut() = Method::POST;
    *outgoing.version_mut() = Version::HTTP_2;
    *outgoing.uri_mut() = Uri::from(path);
    *outgoing.headers_mut() = headers;
    outgoing
}
