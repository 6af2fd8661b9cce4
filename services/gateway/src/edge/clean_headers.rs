//! Takes away what a client must not send on.

use http::header::{self, HeaderName};
use http::{HeaderMap, Request, Response};
use service_kit::layers::{Around, Next, Stacked};
use tonic::body::Body;

use super::caller::Callers;

/// Headers of one hop only (RFC 9110, 7.6.1).
const OF_ONE_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TRAILER,
];
/// Headers that say where a call comes from: only a proxy of ours may, and only to us.
const ABOUT_THE_CALLER: [&str; 8] = [
    "forwarded",
    "keep-alive",
    "proxy-connection",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
];
/// Headers with this prefix are ours, from service to service.
const INTERNAL_PREFIX: &str = "x-stakemate-";

/// Notes the caller's address, then strips headers of one hop, headers about the caller, and cookies.
#[derive(Clone, Copy, Debug)]
pub(super) struct CleanHeaders {
    callers: Callers,
}

impl CleanHeaders {
    pub(super) fn new(callers: Callers) -> Self {
        Self { callers }
    }
}

impl Around for CleanHeaders {
    async fn around<S: Stacked>(&self, mut request: Request<Body>, next: Next<S>) -> Response<Body> {
        let address = self.callers.address(request.headers(), request.extensions());
        request.extensions_mut().insert(address);
        clean(request.headers_mut());
        next.run(request).await
    }
}

fn clean(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let internal: Vec<HeaderName> =
        headers.keys().filter(|name| name.as_str().starts_with(INTERNAL_PREFIX)).cloned().collect();
    for name in named.into_iter().chain(internal).chain(OF_ONE_HOP).chain([header::COOKIE, header::HOST]) {
        headers.remove(name);
    }
    for name in ABOUT_THE_CALLER {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_hop_or_only_we_may_say_is_not_sent_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "x-once, close"),
            ("x-once", "1"),
            ("x-forwarded-for", "1.1.1.1"),
            ("x-stakemate-player", "somebody else"),
            ("cookie", "a=b"),
            ("authorization", "Bearer x"),
            ("grpc-timeout", "1S"),
            ("x-request-color", "blue"),
        ] {
            headers.insert(name, value.parse().expect("a header"));
        }
        clean(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["authorization", "grpc-timeout", "x-request-color"]);
    }
}
