//! Play money: whoever asks gets it, at once.

use crate::app::payments::{Beginning, Payment, PaymentProvider};

/// The provider of play money, for development (`WALLET-7`).
#[derive(Debug, Clone, Copy, Default)]
pub struct PlayMoney;

impl PaymentProvider for PlayMoney {
    fn name(&self) -> &'static str {
        "play-money"
    }

    fn begin(&self, payment: &Payment) -> Beginning {
        Beginning::Settled { provider_event_id: payment.id.to_string() }
    }
}
