//! Somebody looks at his account.

use uuid::Uuid;

use super::account::Account;
use super::{Accounts, App, StoreFailure};

/// The player's account; none when his token comes from another issuer.
///
/// # Errors
/// When the store fails.
pub async fn get_account<A: Accounts>(
    app: &App<A>,
    player_id: Uuid,
) -> Result<Option<Account>, StoreFailure> {
    app.accounts.by_player(player_id).await
}
