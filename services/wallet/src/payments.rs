//! The payment providers that there are: play money, and one that tells by signed calls what became of a payment.

pub mod play_money;
pub mod webhook;

pub use play_money::PlayMoney;
pub use webhook::Webhook;
