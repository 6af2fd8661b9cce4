//! What is no message of the call is the caller's fault, not ours.

use http::{Request, Response};
use tonic::body::Body;
use tonic::{Code, Status};

use super::{Around, Next, Stacked};

/// How tonic begins its answer to bytes that it cannot read. It calls them INTERNAL, which says that we are broken and would
/// have clients report it to us.
const UNREADABLE: [&str; 4] = [
    "failed to decode Protobuf message",
    "Missing request message",
    "protocol error",
    "Unexpected EOF decoding",
];

/// Answers INVALID_ARGUMENT where tonic could not read the request.
#[derive(Clone, Copy, Debug)]
pub struct Malformed;

impl Around for Malformed {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        let response = next.run(request).await;
        match Status::from_header_map(response.headers()) {
            Some(status) if is_unreadable(&status) => {
                Status::invalid_argument("the request is not the message that this call takes").into_http()
            }
            _ => response,
        }
    }
}

fn is_unreadable(status: &Status) -> bool {
    status.code() == Code::Internal && UNREADABLE.iter().any(|begin| status.message().starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_tonic_could_not_read_is_the_callers_fault() {
        let decoding = "failed to decode Protobuf message: invalid varint";
        assert!(is_unreadable(&Status::internal(decoding)));
        assert!(is_unreadable(&Status::internal("Missing request message.")));
        assert!(!is_unreadable(&Status::internal("internal error")));
        assert!(!is_unreadable(&Status::unavailable(decoding)));
    }
}
