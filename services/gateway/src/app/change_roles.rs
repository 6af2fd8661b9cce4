//! Whoever runs the platform gives an account a role, or takes one.

use service_kit::auth::{Role, Roles};
use time::OffsetDateTime;

use super::account::{Account, Name};
use super::{Accounts, NewRoles, StoreFailure};

/// Characters of a reason, at least; a change nobody explained helps nobody later.
const REASON_CHARS_MIN: usize = 3;
/// And at most.
const REASON_CHARS_MAX: usize = 500;

/// How roles change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleChange {
    /// One more.
    Grant(Role),
    /// One less.
    Revoke(Role),
}

impl RoleChange {
    /// The roles after it.
    #[must_use]
    pub fn of(self, roles: Roles) -> Roles {
        match self {
            Self::Grant(role) => roles.with(role),
            Self::Revoke(role) => roles.without(role),
        }
    }
}

/// Why roles did not change.
#[derive(Debug, thiserror::Error)]
pub enum ChangeRolesError {
    /// Nobody has the name.
    #[error("there is no account with this name")]
    AccountUnknown,
    /// No reason, or a novel.
    #[error("a reason of {REASON_CHARS_MIN} to {REASON_CHARS_MAX} characters is needed")]
    Reason,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreFailure),
}

/// Changes what the account with this name may do. Tokens that are out keep what they say until they end, minutes later. A
/// change to what is so already changes nothing.
///
/// # Errors
/// When there is no such account, no reason is given, or the store fails.
pub async fn change_roles<A: Accounts>(
    accounts: &A,
    name: &Name,
    change: RoleChange,
    changed_by: &str,
    reason: &str,
) -> Result<Account, ChangeRolesError> {
    let reason = reason.trim();
    if !(REASON_CHARS_MIN..=REASON_CHARS_MAX).contains(&reason.chars().count()) {
        return Err(ChangeRolesError::Reason);
    }
    let new = NewRoles {
        name_key: name.key(),
        change,
        changed_by: changed_by.to_owned(),
        reason: reason.to_owned(),
        changed_at: OffsetDateTime::now_utc(),
    };
    accounts.set_roles(new).await?.ok_or(ChangeRolesError::AccountUnknown)
}
