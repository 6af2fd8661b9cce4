//! Who may correct ratings.

use proto::types::v1::CommonErrorReason;
use service_kit::auth::{self, Principal, Role};
use service_kit::status;
use tonic::{Request, Status};

/// The caller, if he is a moderator or an operator (`RATING-6`).
pub(super) fn moderator<T>(request: &Request<T>) -> Result<Principal, Status> {
    let principal = auth::principal(request)?;
    let may = [Role::Moderator, Role::Operator].into_iter().any(|role| principal.roles.contains(role));
    if may {
        return Ok(principal);
    }
    let message = "this call needs the role moderator or operator";
    Err(status::permission_denied(CommonErrorReason::RoleMissing, message))
}
