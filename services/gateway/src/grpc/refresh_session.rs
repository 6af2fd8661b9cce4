//! RefreshSession.

use proto::gateway::v1::{RefreshSessionRequest, RefreshSessionResponse};
use time::OffsetDateTime;
use tonic::Status;

use super::{convert, status};
use crate::app::{Accounts, App, RefreshToken, refresh_session};

pub(super) async fn handle<A: Accounts>(
    app: &App<A>,
    request: RefreshSessionRequest,
) -> Result<RefreshSessionResponse, Status> {
    if request.refresh_token.is_empty() {
        return Err(service_kit::status::invalid_argument([("refresh_token", "is missing")]));
    }
    let token = RefreshToken::parse(&request.refresh_token).map_err(|_| status::refresh_token_invalid())?;
    let session =
        refresh_session(app, &token, OffsetDateTime::now_utc()).await.map_err(status::of_refresh)?;
    Ok(RefreshSessionResponse { session: Some(convert::session(&session)) })
}
