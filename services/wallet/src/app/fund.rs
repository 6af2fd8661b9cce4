//! The fund from which the house makes good what players lost to cheats.

use domain_ledger::{Amount, Balances, Currency, Direction, FundMovement, FundSource, Refusal};
use uuid::Uuid;

use super::posting::{Draft, WalletEvent};
use super::step_transfer;

/// Money that an operator puts into the fund, or takes out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Funding {
    /// The operator's command, which moves money once.
    pub command: Uuid,
    /// Where it comes from, or goes to.
    pub source: FundSource,
    /// Into the fund, or out of it.
    pub direction: Direction,
    /// How much.
    pub amount: Amount,
    /// In which currency.
    pub currency: Currency,
    /// Why.
    pub reason: String,
    /// The operator.
    pub adjusted_by: Uuid,
}

impl Funding {
    /// What happens, given what the fund holds and, when it comes from there, what the fees come to.
    ///
    /// # Errors
    /// When the money is not there, or does not fit.
    pub fn decide(&self, balances: &Balances) -> Result<Draft, Refusal> {
        let movement = FundMovement {
            transfer: step_transfer(self.command, "funding"),
            source: self.source,
            direction: self.direction,
            amount: self.amount,
            currency: self.currency,
        };
        let transfers = vec![movement.decide(balances)?];
        let (source, adjusted_by) = (self.source, self.adjusted_by);
        let event = WalletEvent::FundAdjusted { source, reason: self.reason.clone(), adjusted_by };
        Ok(Draft { event, transfers })
    }
}
