//! Who calls: principals, roles, and the tokens they come from.
//!
//! The layer [`crate::layers::Authenticate`] verifies the bearer token of each call and leaves an [`Authentication`] with the
//! request. It refuses nothing: some calls need no account, and an expired token must not keep anybody from refreshing it.
//! A handler that needs to know asks [`principal`].

mod keys;
#[cfg(test)]
mod tests;
mod verifier;

use std::time::SystemTime;

use proto::types::v1::CommonErrorReason;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::status;

pub use keys::{KeyError, KeyFiles, KeyPair, Signer, Subject, Token, is_development_key_file};
pub use verifier::{CACHED_TOKENS_MAX, TOKEN_BYTES_MAX, TokenError, Verifier};

/// The issuer of our own tokens.
pub const ISSUER: &str = "stakemate";
/// The audience that a token must name.
pub const AUDIENCE: &str = "stakemate";

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The player.
    pub player_id: Uuid,
    /// His name when the token was made.
    pub name: String,
    /// What he may do.
    pub roles: Roles,
    /// When the token ends. A stream that must not outlive it ends then.
    pub expires_at: SystemTime,
}

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Plays.
    Player,
    /// Is a program.
    Computer,
    /// Judges fair play.
    Moderator,
    /// Runs the platform.
    Operator,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Player, Self::Computer, Self::Moderator, Self::Operator];

    /// Its name in tokens and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Computer => "computer",
            Self::Moderator => "moderator",
            Self::Operator => "operator",
        }
    }

    /// The role with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A set of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles(u8);

impl Roles {
    /// The set of the given roles.
    pub fn of(roles: &[Role]) -> Self {
        roles.iter().fold(Self::default(), |set, role| Self(set.0 | Self::bit(*role)))
    }

    /// The set of the roles with these names; a name that is no role of ours gives no right and is left out.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of(&names.into_iter().filter_map(Role::from_name).collect::<Vec<_>>())
    }

    /// Whether the role is in the set.
    pub fn contains(self, role: Role) -> bool {
        self.0 & Self::bit(role) != 0
    }

    /// The set with the role.
    #[must_use]
    pub fn with(self, role: Role) -> Self {
        Self(self.0 | Self::bit(role))
    }

    /// The set without the role.
    #[must_use]
    pub fn without(self, role: Role) -> Self {
        Self(self.0 & !Self::bit(role))
    }

    /// The roles' names.
    pub fn names(self) -> Vec<&'static str> {
        Role::ALL.into_iter().filter(|role| self.contains(*role)).map(Role::name).collect()
    }

    fn bit(role: Role) -> u8 {
        1 << (role as u8)
    }
}

/// What the token of a call said; an extension of every request.
#[derive(Clone, Debug)]
pub enum Authentication {
    /// There was none.
    Anonymous,
    /// A good one.
    Known(Principal),
    /// A bad one.
    Refused(TokenError),
}

/// Who calls, for a handler that needs to know.
///
/// # Errors
/// UNAUTHENTICATED with TOKEN_MISSING, TOKEN_EXPIRED or TOKEN_INVALID.
pub fn principal<T>(request: &Request<T>) -> Result<Principal, Status> {
    let (reason, message) = match request.extensions().get::<Authentication>() {
        Some(Authentication::Known(principal)) => return Ok(principal.clone()),
        Some(Authentication::Refused(TokenError::Expired)) => {
            (CommonErrorReason::TokenExpired, "the access token has ended")
        }
        Some(Authentication::Refused(TokenError::Invalid)) => {
            (CommonErrorReason::TokenInvalid, "the access token is not one of ours")
        }
        Some(Authentication::Anonymous) | None => {
            (CommonErrorReason::TokenMissing, "this call needs an access token")
        }
    };
    Err(status::unauthenticated(reason, message))
}

/// Who calls, for a handler that anybody may call; nobody when the token is missing or bad.
pub fn principal_if_any<T>(request: &Request<T>) -> Option<Principal> {
    match request.extensions().get::<Authentication>() {
        Some(Authentication::Known(principal)) => Some(principal.clone()),
        _ => None,
    }
}

/// Refuses a principal without the role.
///
/// # Errors
/// PERMISSION_DENIED with ROLE_MISSING.
pub fn require_role(principal: &Principal, role: Role) -> Result<(), Status> {
    if principal.roles.contains(role) {
        return Ok(());
    }
    let message = format!("this call needs the role {}", role.name());
    Err(status::permission_denied(CommonErrorReason::RoleMissing, message))
}
