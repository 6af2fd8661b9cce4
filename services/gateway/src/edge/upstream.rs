//! A service behind the gateway. Calls are passed on without being understood: headers, messages and trailers as they come.
//!
//! A request is one message (no client of ours streams), so it is gathered first: a request that is too long, or breaks off,
//! is then refused here with its reason, and never begins at the service. An answer goes through frame by frame.

use std::sync::Arc;

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
use tower::{Service, ServiceExt};

use super::endpoints::{Endpoints, was_not_sent};
use super::relayed_body::RelayedBody;
use crate::telemetry;

/// How many instances one call is offered to, as long as it was certainly not sent to the one before.
const OFFERS_MAX: usize = 3;

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
    endpoints: Arc<Endpoints>,
    /// Cancelled when open streams have to end because the gateway stops.
    cut: CancellationToken,
}

impl Upstream {
    /// With one address, or several separated by commas, among which calls are spread. Connects when first needed, and again whenever a
    /// connection was lost.
    ///
    /// # Errors
    /// When an address is malformed.
    pub fn new(
        service: &'static str,
        name: &'static str,
        urls: &str,
        cut: CancellationToken,
    ) -> Result<Self, BadUpstream> {
        let endpoints = Endpoints::new(urls).map_err(|source| BadUpstream { service, source })?;
        Ok(Self { service, name, endpoints, cut })
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
    pub(super) async fn relay(self, request: Request<Body>) -> Response<Body> {
        if request.method() != Method::POST {
            return Status::invalid_argument("a call is a POST").into_http();
        }
        let (parts, body) = request.into_parts();
        let message = match body.collect().await {
            Ok(gathered) => gathered.to_bytes(),
            Err(refusal) => return refusal.into_http(),
        };
        match self.offer(&parts, &message).await {
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

    /// Offers the call to one instance after the other until one may have got it.
    async fn offer(&self, parts: &Parts, message: &Bytes) -> Result<Response<Body>, tonic::transport::Error> {
        let instances = self.endpoints.in_turn();
        let last = instances.len().min(OFFERS_MAX) - 1;
        for (offers, instance) in instances.iter().enumerate() {
            let mut channel = instance.channel.clone();
            let answered = match channel.ready().await {
                Ok(channel) => channel.call(outgoing(parts.clone(), message.clone())).await,
                Err(error) => Err(error),
            };
            match answered {
                Err(error) => {
                    instance.failed();
                    if offers >= last || !was_not_sent(&error) {
                        return Err(error);
                    }
                }
                Ok(response) => return Ok(response),
            }
        }
        unreachable!("a service has an address, and the last offer answers")
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
