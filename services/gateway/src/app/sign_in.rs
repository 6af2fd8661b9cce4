//! Somebody signs in with name and password.

use service_kit::auth::KeyError;
use time::OffsetDateTime;

use super::account::{Name, Password};
use super::{Accounts, App, HashError, Session, StoreFailure};

/// Why somebody is not signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// No account with this name and password; which of the two is not told.
    #[error("no account with this name and password")]
    CredentialsWrong,
    /// The password was not hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The token was not signed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreFailure),
}

/// Opens a session.
///
/// # Errors
/// When name and password do not belong together, too many are signing in, or the store fails.
pub async fn sign_in<A: Accounts>(
    app: &App<A>,
    name: &Name,
    password: Password,
    now: OffsetDateTime,
) -> Result<Session, SignInError> {
    let (account, hash) = app.accounts.by_name_key(&name.key()).await?.unzip();
    // Also without an account, so that both refusals take the same time.
    let right = app.passwords.verify(password, hash).await?;
    let account = account.filter(|_| right).ok_or(SignInError::CredentialsWrong)?;
    let (session, refresh_token) = app.new_session(account.player_id, now);
    app.accounts.open_session(session).await?;
    Ok(app.session(account, refresh_token, now)?)
}
