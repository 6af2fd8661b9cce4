//! The port to what accounts and sessions are kept in.

use std::future::Future;

use event_store::AppendError;
use service_kit::auth::Roles;
use time::OffsetDateTime;
use uuid::Uuid;

use super::RoleChange;
use super::account::{Account, Name};

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

    /// Exchanges a refresh token, once, for the next; ends the session when it comes a second time.
    fn rotate(
        &self,
        presented: [u8; 32],
        next: [u8; 32],
        now: OffsetDateTime,
        next_expires_at: OffsetDateTime,
    ) -> impl Future<Output = Result<Rotation, StoreFailure>> + Send;

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

/// What became of a refresh token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// It was good and is used up; the next is good.
    Rotated(Account),
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
