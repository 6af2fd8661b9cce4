//! Who may deposit, play for money and withdraw.
//!
//! The [`Policy`] is what the operator must demand where he works; the [`Standing`] is what is known of one player and what the
//! player has asked for himself; the [`Usage`] is what happened lately. A question is answered from the three alone, and what
//! they do not tell is refused (`LEDGER-9`).
//!
//! The rules of responsible play follow the UK Gambling Commission's RTS 12: limits on gross deposits for 24 hours, 7 days and
//! 30 days, of which the strictest wins; a lower limit counts at once and a higher one after a day; a self-exclusion lasts six
//! months at least, begins at once and is never shortened. An exclusion keeps nobody from his own money: he may still withdraw.

mod birth;
mod limits;
mod policy;
mod standing;

pub use birth::BirthDate;
pub use limits::{Limit, LimitKind, Limits, RAISE_WAIT_MS};
pub use policy::{Action, Ineligible, Policy, Region, RegionError, Regions, Usage};
pub use standing::{EXCLUSION_MS_MIN, Exclusion, Identity, Standing, StandingEvent, StandingRefusal};

/// A day.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
