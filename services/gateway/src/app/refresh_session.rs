//! A client exchanges its refresh token for a new session.

use service_kit::auth::KeyError;
use time::OffsetDateTime;

use super::{Accounts, App, RefreshToken, Rotation, Session, StoreFailure};
use crate::telemetry;

/// Why there is no new session.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The token is unknown, has ended or was used before; which is not told.
    #[error("the refresh token is not good")]
    TokenInvalid,
    /// The token was not signed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreFailure),
}

/// Exchanges a refresh token, once. A second use means that somebody has a copy: the whole session ends, since it cannot
/// be told who of the two is the thief.
///
/// # Errors
/// When the token is not good, or the store fails.
pub async fn refresh_session<A: Accounts>(
    app: &App<A>,
    presented: &RefreshToken,
    now: OffsetDateTime,
) -> Result<Session, RefreshError> {
    let next = RefreshToken::random();
    let expires_at = now + app.lifetimes.refresh;
    match app.accounts.rotate(presented.hash(), next.hash(), now, expires_at).await? {
        Rotation::Rotated(account) => Ok(app.session(account, next, now)?),
        Rotation::Refused => Err(RefreshError::TokenInvalid),
        Rotation::Reused { player_id } => {
            tracing::warn!(%player_id, "a refresh token was used twice; its session has ended");
            telemetry::refresh_token_reused();
            Err(RefreshError::TokenInvalid)
        }
    }
}
