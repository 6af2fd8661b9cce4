//! How many calls a caller may make in time.

use http::{Request, Response};
use proto::gateway::v1::ErrorReason;
use service_kit::layers::{Around, Next, Stacked};
use service_kit::status;
use tonic::body::Body;

use super::caller::{Caller, address_text};
use crate::store::{Bucket, Buckets, Rate, Verdict};

/// The calls that cost us a password hash and are worth an attacker's while.
const SIGN_INS: [&str; 2] =
    ["/stakemate.gateway.v1.AccountService/SignUp", "/stakemate.gateway.v1.AccountService/SignIn"];

/// Refuses with RESOURCE_EXHAUSTED and RetryInfo what comes too fast.
#[derive(Clone)]
pub struct RateLimit {
    buckets: Buckets,
    calls: Rate,
    sign_ins: Rate,
}

impl RateLimit {
    /// `calls` for each player, or address without a token; `sign_ins` for each address.
    pub fn new(buckets: Buckets, calls: Rate, sign_ins: Rate) -> Self {
        Self { buckets, calls, sign_ins }
    }
}

impl Around for RateLimit {
    async fn around<S: Stacked>(&self, request: Request<Body>, next: Next<S>) -> Response<Body> {
        let (limit, owner, rate) = if SIGN_INS.contains(&request.uri().path()) {
            ("sign_in", address_text(request.extensions()), self.sign_ins)
        } else {
            ("calls", Caller::of(request.extensions()).text(), self.calls)
        };
        match self.buckets.take(Bucket { limit, owner: &owner, rate }).await {
            Verdict::Pass => next.run(request).await,
            Verdict::Wait(wait) => {
                status::exhausted(ErrorReason::RateLimited, "too many calls", wait).into_http()
            }
        }
    }
}
