//! A service behind the gateway. Calls are passed on without being read: headers, frames and trailers as they come, both ways.

use std::error::Error;
use std::time::Duration;

use http::uri::PathAndQuery;
use http::{HeaderValue, Method, Request, Response, Uri, Version, header};
use http_body::Body as _;
use service_kit::status::{self, RETRY_AFTER};
use service_kit::telemetry::inject_trace;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tower::{Service, ServiceExt};

use super::relayed_body::RelayedBody;
use crate::telemetry;

/// How long a connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// A silent connection is asked for a sign of life so often, …
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
/// … and given up when none came for so long; its streams end with UNAVAILABLE.
const KEEPALIVE_MAX: Duration = Duration::from_secs(5);

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
            .connect_lazy();
        Ok(Self { service, name, channel, cut })
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
        let Some(request) = outgoing(request) else {
            return Status::invalid_argument("a call is a POST to /package.Service/Method").into_http();
        };
        let answered = match self.channel.ready().await {
            Ok(channel) => channel.call(request).await,
            Err(error) => Err(error),
        };
        match answered {
            Ok(response) => self.incoming(response),
            Err(error) => self.failed(&error).into_http(),
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
        response.map(|body| {
            if has_status { body } else { Body::new(RelayedBody::new(body, service, cut)) }
        })
    }

    /// What stood in the way: our own refusal of the request's body, or the service.
    fn failed(&self, error: &(dyn Error + 'static)) -> Status {
        if let Some(refusal) = refusal_in(error) {
            return refusal;
        }
        tracing::warn!(service = self.service, error, "a call could not be passed on");
        unavailable(self.service)
    }
}

/// UNAVAILABLE, counted.
pub(super) fn unavailable(service: &'static str) -> Status {
    telemetry::upstream_down(service);
    status::unavailable(format!("the {service} service cannot be reached"), RETRY_AFTER)
}

/// The request as it goes on: only the path, the headers and the body.
fn outgoing(request: Request<Body>) -> Option<Request<Body>> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return None;
    }
    let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    let mut outgoing = Request::new(body);
    *outgoing.method_mut() = Method::POST;
    *outgoing.version_mut() = Version::HTTP_2;
    *outgoing.uri_mut() = Uri::from(path);
    let mut headers = parts.headers;
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    inject_trace(&mut headers);
    *outgoing.headers_mut() = headers;
    Some(outgoing)
}

/// The status with which a layer of ours ended the request's body, if that is what failed.
fn refusal_in(error: &(dyn Error + 'static)) -> Option<Status> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(status) = error.downcast_ref::<Status>()
            && status.code() == Code::ResourceExhausted
        {
            return Some(status.clone());
        }
        next = error.source();
    }
    None
}
