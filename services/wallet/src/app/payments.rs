//! The port to whoever brings real money in and takes it out.

use std::fmt;

use uuid::Uuid;

use super::account::Sum;

/// A deposit that a player has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment {
    /// Its id.
    pub id: Uuid,
    /// How much, and whose.
    pub sum: Sum,
}

/// What a provider makes of a new payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beginning {
    /// The money is here already.
    Settled {
        /// The provider's name for that.
        provider_event_id: String,
    },
    /// The player has to pay there, and the provider will tell.
    Pending {
        /// Where.
        checkout_url: String,
    },
}

/// Brings money in and takes it out. What it tells later comes by its own way (see `payments`), never from a player.
pub trait PaymentProvider: fmt::Debug + Send + Sync {
    /// Its name in the log.
    fn name(&self) -> &'static str;

    /// Begins a deposit. It makes nothing happen that a repeat would double: the payment has an id.
    fn begin(&self, payment: &Payment) -> Beginning;
}
