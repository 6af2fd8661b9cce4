//! GetAccount.

use proto::gateway::v1::{ErrorReason, GetAccountRequest, GetAccountResponse};
use service_kit::auth::principal;
use tonic::{Request, Status};

use super::{convert, status};
use crate::app::{Accounts, App, get_account};

pub(super) async fn handle<A: Accounts>(
    app: &App<A>,
    request: &Request<GetAccountRequest>,
) -> Result<GetAccountResponse, Status> {
    let principal = principal(request)?;
    let account = get_account(app, principal.player_id).await.map_err(status::of_store)?;
    account.map(convert::account).ok_or_else(|| {
        service_kit::status::not_found(ErrorReason::AccountUnknown, "the caller has no account here")
    })
}
