//! No call waits for ever, and none longer than its caller does.

use std::time::Duration;

use http::{HeaderMap, Request, Response};
use tonic::Status;
use tonic::body::Body;

use super::{Around, Next, Stacked};

/// Our answer must be out before tonic's own timer, which starts a moment earlier and would answer CANCELLED. A twentieth of
/// the time, within these bounds: on a busy machine the two timers are served in whatever order they are found.
const HEAD_START_MIN: Duration = Duration::from_millis(3);
const HEAD_START_MAX: Duration = Duration::from_millis(100);
const HEAD_START_SHARE: u32 = 20;

/// Bounds the time to a call's response: the whole of a unary call, only the opening of a stream, which lives on.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    max: Duration,
}

impl Deadline {
    /// At most `max`, less where the caller says so.
    pub fn new(max: Duration) -> Self {
        Self { max }
    }
}

impl Around for Deadline {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        let asked = grpc_timeout(request.headers());
        let limit = asked.map_or(self.max, |asked| asked.saturating_sub(head_start(asked)).min(self.max));
        match tokio::time::timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Status::deadline_exceeded("the call took too long").into_http(),
        }
    }
}

fn head_start(asked: Duration) -> Duration {
    (asked / HEAD_START_SHARE).clamp(HEAD_START_MIN, HEAD_START_MAX)
}

/// The `grpc-timeout` header: at most eight digits and a unit. A malformed one is no deadline, as in tonic.
fn grpc_timeout(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-timeout", text.parse().expect("a header value"));
        grpc_timeout(&headers)
    }

    #[test]
    fn a_timeout_is_digits_and_a_unit() {
        assert_eq!(parsed("250m"), Some(Duration::from_millis(250)));
        assert_eq!(parsed("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        for bad in ["", "m", "1", "1x", "-1m", "123456789m", "1 m"] {
            assert_eq!(parsed(bad), None, "{bad:?}");
        }
    }
}
