//! Somebody makes an account.

use service_kit::auth::{KeyError, Role, Roles};
use time::OffsetDateTime;
use uuid::Uuid;

use super::account::{Name, Password};
use super::{Accounts, App, HashError, Registration, Session, StoreFailure};

/// Why there is no new account.
#[derive(Debug, thiserror::Error)]
pub enum SignUpError {
    /// Somebody else has the name.
    #[error("the name is taken")]
    NameTaken,
    /// The password was not hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The token was not signed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The account was not kept.
    #[error(transparent)]
    Store(#[from] StoreFailure),
}

/// Makes an account and signs it in.
///
/// # Errors
/// When the name is taken, too many are signing in, or the store fails.
pub async fn sign_up<A: Accounts>(
    app: &App<A>,
    name: Name,
    password: Password,
    now: OffsetDateTime,
) -> Result<Session, SignUpError> {
    let password_hash = app.passwords.hash(password).await?;
    let player_id = Uuid::now_v7();
    let (session, refresh_token) = app.new_session(player_id, now);
    let roles = app.first_roles.get(&name.key()).copied().unwrap_or(Roles::of(&[Role::Player]));
    let registration = Registration { player_id, name, password_hash, roles, registered_at: now, session };
    let account = app.accounts.register(registration).await?.ok_or(SignUpError::NameTaken)?;
    Ok(app.session(account, refresh_token, now)?)
}
