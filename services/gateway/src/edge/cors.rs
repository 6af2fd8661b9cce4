//! Which pages may call, and what they may see.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::dispatch::SERVICE_HEADER;

/// How long a browser remembers a preflight.
const PREFLIGHT_KEPT: Duration = Duration::from_secs(24 * 3600);

/// An allowed origin is malformed.
#[derive(Debug, thiserror::Error)]
#[error("STAKEMATE_ALLOWED_ORIGINS holds {0:?}, which is no origin")]
pub struct BadOrigin(String);

/// No cookies are ever needed: the token is a header, so there is nothing for another page to ride on.
pub(super) fn layer(allowed: &[String]) -> Result<CorsLayer, BadOrigin> {
    let origins = if allowed.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(allowed.iter().map(|origin| parse(origin)).collect::<Result<Vec<_>, _>>()?)
    };
    Ok(CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::POST])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("grpc-timeout"),
            HeaderName::from_static(SERVICE_HEADER),
            HeaderName::from_static("traceparent"),
            HeaderName::from_static("tracestate"),
            HeaderName::from_static("x-grpc-web"),
            HeaderName::from_static("x-user-agent"),
        ])
        .expose_headers([
            HeaderName::from_static("grpc-status"),
            HeaderName::from_static("grpc-message"),
            HeaderName::from_static("grpc-status-details-bin"),
        ])
        .max_age(PREFLIGHT_KEPT))
}

fn parse(origin: &str) -> Result<HeaderValue, BadOrigin> {
    let bad = || BadOrigin(origin.to_owned());
    let (scheme, host) = origin.split_once("://").ok_or_else(bad)?;
    if !matches!(scheme, "http" | "https") || host.is_empty() || host.contains('/') {
        return Err(bad());
    }
    HeaderValue::from_str(origin).map_err(|_| bad())
}
