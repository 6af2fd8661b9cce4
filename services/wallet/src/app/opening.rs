//! A player's account, and the play money he finds on it in development.

use domain_ledger::{Amount, Balances, Currency, Movement, PlayerId, Refusal};

use super::posting::{DepositSource, Draft, WalletEvent};
use super::{player_uuid, step_transfer};

/// The step of the opening deposit. It is a gift, so no limit of deposits counts it.
pub const OPENING_DEPOSIT: &str = "opening-deposit";

/// What a new account is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningDeposit {
    /// How much.
    pub amount: Amount,
    /// In which currency.
    pub currency: Currency,
}

/// The opening of an account.
#[must_use]
pub fn open_account(player: PlayerId, name: String) -> Draft {
    Draft { event: WalletEvent::AccountOpened { player, name }, transfers: Vec::new() }
}

/// The deposit that follows it.
///
/// # Errors
/// When the balance would not fit.
pub fn opening_deposit(
    player: PlayerId,
    deposit: OpeningDeposit,
    balances: &Balances,
) -> Result<Draft, Refusal> {
    let movement = Movement {
        transfer: step_transfer(player_uuid(player), OPENING_DEPOSIT),
        player,
        amount: deposit.amount,
        currency: deposit.currency,
    };
    let event = WalletEvent::MoneyDeposited { player, source: DepositSource::default() };
    Ok(Draft { event, transfers: vec![movement.deposit(balances)?] })
}
