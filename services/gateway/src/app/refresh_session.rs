//! A client exchanges its refresh token for a new session.

use std::time::Duration;

use service_kit::auth::KeyError;
use time::OffsetDateTime;

use super::{Accounts, App, Exchange, RefreshToken, Rotation, Session, StoreFailure};
use crate::telemetry;

/// How long a used refresh token is answered again with the same successor, while that is not used. Long enough for a page that
/// is loaded again and for a network that is back soon; short against an access token's life, after which the next exchange
/// comes, so that a copy in other hands is noticed at one of the first.
pub const REPEATED_FOR: Duration = Duration::from_secs(60);

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

/// Exchanges a refresh token, once. Who comes with it again at once may have lost the answer, and gets the same successor: two
/// that are in use at a time there never are. Any other second use means that somebody has a copy: the whole session ends,
/// since it cannot be told who of the two is the thief.
///
/// # Errors
/// When the token is not good, or the store fails.
pub async fn refresh_session<A: Accounts>(
    app: &App<A>,
    presented: &RefreshToken,
    now: OffsetDateTime,
) -> Result<Session, RefreshError> {
    let next = RefreshToken::random();
    let exchange = Exchange {
        presented: presented.hash(),
        next: next.hash(),
        next_sealed: presented.seal(&next),
        now,
        next_expires_at: now + app.lifetimes.refresh,
        repeated_since: now - REPEATED_FOR,
    };
    match app.accounts.rotate(exchange).await? {
        Rotation::Rotated(account) => Ok(app.session(account, next, now)?),
        Rotation::Repeated { account, successor } => {
            telemetry::refresh_token_repeated();
            Ok(app.session(account, presented.open(successor), now)?)
        }
        Rotation::Refused => Err(RefreshError::TokenInvalid),
        Rotation::Reused { player_id } => {
            tracing::warn!(%player_id, "a refresh token was used twice; its session has ended");
            telemetry::refresh_token_reused();
            Err(RefreshError::TokenInvalid)
        }
    }
}
