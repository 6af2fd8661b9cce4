//! Money of one player that comes and goes by a call: deposits, withdrawals, adjustments, reversals.

use domain_ledger::{
    Amount, Balances, Currency, Direction, Movement, PlayerId, Refusal, Transfer, TransferId, reversal,
};
use uuid::Uuid;

use super::posting::{DepositSource, Draft, WalletEvent};
use super::step_transfer;

/// How much of what, and whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// Whose.
    pub player: PlayerId,
    /// How much.
    pub amount: Amount,
    /// Of what.
    pub currency: Currency,
}

impl Sum {
    fn movement(self, transfer: TransferId) -> Movement {
        Movement { transfer, player: self.player, amount: self.amount, currency: self.currency }
    }
}

/// A deposit; `cause` is the payment, which brings money once.
///
/// # Errors
/// When the balance would not fit.
pub fn deposit(sum: Sum, cause: Uuid, source: DepositSource, balances: &Balances) -> Result<Draft, Refusal> {
    let transfer = sum.movement(step_transfer(cause, "deposit")).deposit(balances)?;
    Ok(Draft { event: WalletEvent::MoneyDeposited { player: sum.player, source }, transfers: vec![transfer] })
}

/// A withdrawal; `cause` is the command.
///
/// # Errors
/// When it is not covered.
pub fn withdrawal(sum: Sum, cause: Uuid, provider: &str, balances: &Balances) -> Result<Draft, Refusal> {
    let transfer = sum.movement(step_transfer(cause, "withdrawal")).withdrawal(balances)?;
    let event = WalletEvent::MoneyWithdrawn { player: sum.player, provider: provider.to_owned() };
    Ok(Draft { event, transfers: vec![transfer] })
}

/// Who corrects something, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The adjustment.
    pub adjustment: Uuid,
    /// Why.
    pub reason: String,
    /// Who asked for it.
    pub proposed_by: Uuid,
    /// Who approved it, if that was needed.
    pub approved_by: Option<Uuid>,
}

/// A correction.
///
/// # Errors
/// When it is not covered, or the balance would not fit.
pub fn adjustment(
    sum: Sum,
    direction: Direction,
    correction: Correction,
    balances: &Balances,
) -> Result<Draft, Refusal> {
    let Correction { adjustment, reason, proposed_by, approved_by } = correction;
    let transfer = sum.movement(step_transfer(adjustment, "adjustment")).adjustment(direction, balances)?;
    let event =
        WalletEvent::MoneyAdjusted { player: sum.player, adjustment, reason, proposed_by, approved_by };
    Ok(Draft { event, transfers: vec![transfer] })
}

/// The opposite of a transfer of the player's.
///
/// # Errors
/// When it cannot be reversed, is not covered any more, or would not fit.
pub fn reverse(
    player: PlayerId,
    original: &Transfer,
    reason: String,
    reversed_by: String,
    balances: &Balances,
) -> Result<Draft, Refusal> {
    let reversed = original.id();
    let id = step_transfer(Uuid::from_u128(reversed.value()), "reversal");
    let transfer = reversal(original, id, balances)?;
    let event = WalletEvent::TransferReversed { player, reversed, reason, reversed_by };
    Ok(Draft { event, transfers: vec![transfer] })
}
