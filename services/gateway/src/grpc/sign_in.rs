//! SignIn.

use proto::gateway::v1::{ErrorReason, SignInRequest, SignInResponse};
use service_kit::fields::Violations;
use time::OffsetDateTime;
use tonic::Status;

use super::{Account, convert, status};
use crate::app::account::{Name, Password};
use crate::app::{Accounts, SignInError, sign_in};
use crate::store::{Bucket, Verdict};

pub(super) async fn handle<A: Accounts>(
    service: &Account<A>,
    request: SignInRequest,
) -> Result<SignInResponse, Status> {
    require(&request)?;
    // What no account can have is answered like what none has.
    let name = Name::parse(&request.name).map_err(|_| status::credentials_wrong())?;
    let password = Password::parse(request.password).map_err(|_| status::credentials_wrong())?;
    let signed_in = sign_in(&service.app, &name, password, OffsetDateTime::now_utc()).await;
    if matches!(signed_in, Err(SignInError::CredentialsWrong)) {
        slow_down_guessing(service, &name).await?;
    }
    let session = signed_in.map_err(status::of_sign_in)?;
    Ok(SignInResponse { session: Some(convert::session(&session)) })
}

/// Counts a wrong password against the account. Only wrong ones: otherwise a stranger who knows a player's name could keep
/// him out with a few tries a minute. Each address has its own, stricter limit at the edge.
async fn slow_down_guessing<A: Accounts>(service: &Account<A>, name: &Name) -> Result<(), Status> {
    let bucket = Bucket { limit: "account", owner: &name.key(), rate: service.rate };
    match service.buckets.take(bucket).await {
        Verdict::Wait(wait) => {
            let message = "too many wrong passwords for this account";
            Err(service_kit::status::exhausted(ErrorReason::RateLimited, message, wait))
        }
        _ => Ok(()),
    }
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
