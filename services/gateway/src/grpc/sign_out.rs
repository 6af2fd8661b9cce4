//! SignOut.

use proto::gateway::v1::{SignOutRequest, SignOutResponse};
use time::OffsetDateTime;
use tonic::Status;

use super::status;
use crate::app::{Accounts, App, RefreshToken, sign_out};

pub(super) async fn handle<A: Accounts>(
    app: &App<A>,
    request: SignOutRequest,
) -> Result<SignOutResponse, Status> {
    if request.refresh_token.is_empty() {
        return Err(service_kit::status::invalid_argument([("refresh_token", "is missing")]));
    }
    // What is no token belongs to no session that could still be open.
    if let Ok(token) = RefreshToken::parse(&request.refresh_token) {
        sign_out(app, &token, OffsetDateTime::now_utc()).await.map_err(status::of_store)?;
    }
    Ok(SignOutResponse {})
}
