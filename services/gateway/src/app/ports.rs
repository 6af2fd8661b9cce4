//! The port to what accounts and sessions are kept in.

use std::future::Future;

use event_store::AppendError;
use service_kit::auth::Roles;
use time::OffsetDateTime;
use uuid::Uuid;

use super::account::{Account, Name};
use super::{RoleChange, SealedToken};

/// Keeps accounts and sessions. Each method is one transaction, finished even when its caller leaves.
pub trait Accounts: Clone + Send + Sync + 'static {
    /// Makes the account, its `PlayerRegistered` event and its first session; nothing when the name is taken.
    fn register(
        &self,
        registration: Registration,
    ) -> impl Future<Output = Result<Option<Account>, StoreFailure>> + Send;

    /// The account with this name in lower case, and its password hash.
    fn by_name_key(
        &self,
        name_key: &str,
    ) -> impl Future<Output = Result<Option<(Account, String)>, StoreFailure>> + Send;

    /// The account of this player.
    fn by_player(
        &self,
        player_id: Uuid,
    ) -> impl Future<Output = Result<Option<Account>, StoreFailure>> + Send;

    /// Gives an account other roles, with the event that says who did it and why; nothing when there is no such account.
    fn set_roles(&self, new: NewRoles) -> impl Future<Output = Result<Option<Account>, StoreFailure>> + Send;

    /// Opens a session.
    fn open_session(&self, session: NewSession) -> impl Future<Output = Result<(), StoreFailure>> + Send;

    /// Exchanges a refresh token, once, for the next. When it comes again it is only repeated what it was exchanged for, while
    /// that is not used and for a short time; afterwards its session ends.
    fn rotate(&self, exchange: Exchange) -> impl Future<Output = Result<Rotation, StoreFailure>> + Send;

    /// Ends the session that a refresh token belongs to, if it is open.
    fn end_session(
        &self,
        presented: [u8; 32],
        now: OffsetDateTime,
    ) -> impl Future<Output = Result<(), StoreFailure>> + Send;
}

/// A new account with its first session.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The player.
    pub player_id: Uuid,
    /// His name.
    pub name: Name,
    /// Argon2id in PHC form.
    pub password_hash: String,
    /// What he may do.
    pub roles: Roles,
    /// When.
    pub registered_at: OffsetDateTime,
    /// His first session.
    pub session: NewSession,
}

/// Other roles for an account.
#[derive(Clone, Debug)]
pub struct NewRoles {
    /// Whose, in lower case.
    pub name_key: String,
    /// How they change.
    pub change: RoleChange,
    /// Who changes it, in his own words.
    pub changed_by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub changed_at: OffsetDateTime,
}

/// A session that begins.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The session.
    pub session_id: Uuid,
    /// Whose.
    pub player_id: Uuid,
    /// SHA-256 of its first refresh token.
    pub token_hash: [u8; 32],
    /// When it begins.
    pub began_at: OffsetDateTime,
    /// When the refresh token ends.
    pub expires_at: OffsetDateTime,
}

/// A refresh token for the next.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// SHA-256 of the token that is presented.
    pub presented: [u8; 32],
    /// SHA-256 of the next.
    pub next: [u8; 32],
    /// The next, sealed with the presented one.
    pub next_sealed: SealedToken,
    /// When.
    pub now: OffsetDateTime,
    /// When the next ends.
    pub next_expires_at: OffsetDateTime,
    /// Since when it must have been used up to be answered again.
    pub repeated_since: OffsetDateTime,
}

/// What became of a refresh token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// It was good and is used up; the next is good.
    Rotated(Account),
    /// It was used a moment ago, and what it was exchanged for has not been used: the answer may have been lost.
    Repeated {
        /// Whose it is.
        account: Account,
        /// What it was exchanged for.
        successor: SealedToken,
    },
    /// There is none such, or it has ended, or its session has.
    Refused,
    /// It was used before: somebody has a copy. Its session has ended.
    Reused {
        /// Whose it was.
        player_id: Uuid,
    },
}

/// What accounts are kept in failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreFailure {
    /// The database.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The event store.
    #[error("the event store failed")]
    Log(#[from] AppendError),
    /// What was read is not what was written.
    #[error("a stored account is malformed")]
    Malformed,
    /// The work was lost: it panicked, or the process is stopping.
    #[error("the work was lost")]
    Lost(#[from] tokio::task::JoinError),
}
