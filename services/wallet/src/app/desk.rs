//! What this platform is set up to do with money that comes and goes.

use std::sync::Arc;

use domain_ledger::Currency;
use domain_ledger::eligibility::Policy;

use super::payments::PaymentProvider;

/// The settings of the desk at which players bring and fetch money.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Who may deposit, play and withdraw.
    pub policy: Policy,
    /// The one currency that is taken and paid; nothing is converted.
    pub currency: Currency,
    /// Who brings it in and takes it out; nobody when the desk is closed.
    pub provider: Option<Arc<dyn PaymentProvider>>,
    /// An adjustment of more than this, in minor units, needs a second person.
    pub approval_above_minor: i64,
}
