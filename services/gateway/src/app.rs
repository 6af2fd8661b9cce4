//! The use cases of accounts and sessions, one a file, and the port to what they are kept in.

pub mod account;
mod change_roles;
mod get_account;
mod passwords;
mod ports;
mod refresh_session;
mod session;
mod sign_in;
mod sign_out;
mod sign_up;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use service_kit::auth::{Roles, Signer};

pub use change_roles::{ChangeRolesError, RoleChange, change_roles};
pub use get_account::get_account;
pub use passwords::{HashError, PASSWORDS_AT_ONCE, PASSWORDS_WAITING_MAX, Passwords};
pub use ports::{Accounts, Exchange, NewRoles, NewSession, Registration, Rotation, StoreFailure};
pub use refresh_session::{REPEATED_FOR, RefreshError, refresh_session};
pub use session::{RefreshToken, SealedToken, Session};
pub use sign_in::{SignInError, sign_in};
pub use sign_out::sign_out;
pub use sign_up::{SignUpError, sign_up};

/// What the use cases need.
#[derive(Clone)]
pub struct App<A> {
    /// Where accounts and sessions are kept.
    pub accounts: A,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Signs access tokens.
    pub signer: Signer,
    /// How long tokens live.
    pub lifetimes: Lifetimes,
    /// Names, in lower case, that are given more than a player's role when they sign up; none outside development.
    pub first_roles: Arc<BTreeMap<String, Roles>>,
}

/// How long tokens live.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// An access token: nothing ends it earlier, so it is short.
    pub access: Duration,
    /// A refresh token; each refresh begins anew.
    pub refresh: Duration,
}
