//! A client ends its session.

use time::OffsetDateTime;

use super::{Accounts, App, RefreshToken, StoreFailure};

/// Ends the session that the token belongs to; also a session that has ended, or none, is no error.
///
/// # Errors
/// When the store fails.
pub async fn sign_out<A: Accounts>(
    app: &App<A>,
    token: &RefreshToken,
    now: OffsetDateTime,
) -> Result<(), StoreFailure> {
    app.accounts.end_session(token.hash(), now).await
}
