//! SignIn.

use proto::gateway::v1::{ErrorReason, SignInRequest, SignInResponse};
use service_kit::fields::Violations;
use time::OffsetDateTime;
use tonic::Status;

use super::{Account, convert, status};
use crate::app::account::{Name, Password};
use crate::app::{Accounts, sign_in};
use crate::store::{Bucket, Verdict};

pub(super) async fn handle<A: Accounts>(
    service: &Account<A>,
    request: SignInRequest,
) -> Result<SignInResponse, Status> {
    require(&request)?;
    // What no account can have is answered like what none has.
    let name = Name::parse(&request.name).map_err(|_| status::credentials_wrong())?;
    let password = Password::parse(request.password).map_err(|_| status::credentials_wrong())?;
    let bucket = Bucket { limit: "account", owner: &name.key(), rate: service.rate };
    if let Verdict::Wait(wait) = service.buckets.take(bucket).await {
        let message = "too many tries to sign in to this account";
        return Err(service_kit::status::exhausted(ErrorReason::RateLimited, message, wait));
    }
    let signed_in = sign_in(&service.app, &name, password, OffsetDateTime::now_utc()).await;
    let session = signed_in.map_err(status::of_sign_in)?;
    Ok(SignInResponse { session: Some(convert::session(&session)) })
}

fn require(request: &SignInRequest) -> Result<(), Status> {
    let mut bad = Violations::default();
    for (field, text) in [("name", &request.name), ("password", &request.password)] {
        if text.is_empty() {
            bad.add(field, "is missing");
        }
    }
    bad.finish()
}
