//! The question and its answer.

use std::collections::BTreeSet;

use thiserror::Error;

use super::{LimitKind, Standing};
use crate::Amount;

/// A country as ISO 3166-1 writes it, or a part of one as ISO 3166-2 does: `GB`, `US-NY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    country: [u8; 2],
    part: [u8; 3],
}

/// The text is no such code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("region is not a code like GB or US-NY")]
pub struct RegionError;

impl Region {
    /// Checks a code.
    ///
    /// # Errors
    /// When it is not two capital letters, followed or not by a hyphen and one to three capital letters or digits.
    pub fn parse(code: &str) -> Result<Self, RegionError> {
        let (country, part) =
            code.split_once('-').map_or((code, None), |(country, part)| (country, Some(part)));
        let country: [u8; 2] = country.as_bytes().try_into().map_err(|_| RegionError)?;
        if !country.iter().all(u8::is_ascii_uppercase) {
            return Err(RegionError);
        }
        let mut padded = [0; 3];
        if let Some(part) = part {
            let is_part = (1..=3).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
            if !is_part {
                return Err(RegionError);
            }
            padded[..part.len()].copy_from_slice(part.as_bytes());
        }
        Ok(Self { country, part: padded })
    }

    /// The code.
    #[must_use]
    pub fn code(self) -> String {
        let letters = |bytes: &[u8]| -> String { bytes.iter().map(|byte| char::from(*byte)).collect() };
        let part: Vec<u8> = self.part.into_iter().filter(|byte| *byte != 0).collect();
        if part.is_empty() {
            return letters(&self.country);
        }
        format!("{}-{}", letters(&self.country), letters(&part))
    }

    /// The country without its part.
    fn country(self) -> Self {
        Self { part: [0; 3], ..self }
    }
}

/// Where may be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Regions {
    /// Everywhere.
    All,
    /// In these only. A country stands for all of its parts.
    Only(BTreeSet<Region>),
}

impl Regions {
    fn allow(&self, region: Region) -> bool {
        match self {
            Self::All => true,
            Self::Only(regions) => regions.contains(&region) || regions.contains(&region.country()),
        }
    }
}

/// What has to be known of a player where the operator works. The default is that of play money: nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Whether nobody plays whose identity was not verified: before play, not only when he wants his money.
    pub needs_identity: bool,
    /// The least age, if there is one.
    pub age_years_min: Option<u8>,
    /// Where may be played.
    pub regions: Regions,
}

impl Default for Policy {
    fn default() -> Self {
        Self { needs_identity: false, age_years_min: None, regions: Regions::All }
    }
}

/// What a player wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Bring money.
    Deposit(Amount),
    /// Play for a stake.
    Play(Amount),
    /// Take money out.
    Withdraw(Amount),
}

/// What happened lately in the currency of the action, in minor units. What is not known is none, and then a limit that needs it
/// refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Gross deposits of the last 24 hours.
    pub deposited_day_minor: Option<i64>,
    /// Of the last 7 days.
    pub deposited_week_minor: Option<i64>,
    /// Of the last 30 days.
    pub deposited_month_minor: Option<i64>,
    /// What games of the last 24 hours cost, less what they won; negative for a gain.
    pub lost_day_minor: Option<i64>,
    /// What is held for games that are not over.
    pub at_stake_minor: Option<i64>,
}

/// Why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Ineligible {
    /// Nobody has verified who he is.
    #[error("the identity is not verified")]
    IdentityUnknown,
    /// He is too young.
    #[error("the player is too young")]
    TooYoung,
    /// Not where he is.
    #[error("not in this region")]
    Region,
    /// He has excluded himself.
    #[error("the player has excluded himself")]
    Excluded,
    /// It would break a limit of his own.
    #[error("a limit of the player would be passed")]
    Limit {
        /// Which.
        kind: LimitKind,
        /// How much is left of it, in minor units.
        left_minor: i64,
    },
    /// What is needed for the answer is not known.
    #[error("it cannot be decided")]
    Undecidable,
}

impl Policy {
    /// Answers whether a player may do something now.
    ///
    /// # Errors
    /// The first reason why he may not, which is also that it cannot be decided.
    pub fn ask(
        &self,
        standing: &Standing,
        usage: &Usage,
        action: Action,
        now_ms: i64,
    ) -> Result<(), Ineligible> {
        let needs_to_know =
            self.needs_identity || self.age_years_min.is_some() || self.regions != Regions::All;
        if needs_to_know && standing.identity.is_none() {
            return Err(Ineligible::IdentityUnknown);
        }
        // Nobody is kept from his own money by where or how old he is, or by an exclusion.
        if let Action::Withdraw(_) = action {
            return Ok(());
        }
        if standing.exclusion.is_some_and(|exclusion| exclusion.holds_at(now_ms)) {
            return Err(Ineligible::Excluded);
        }
        if let (Some(years_min), Some(identity)) = (self.age_years_min, standing.identity)
            && identity.born.age_years(now_ms) < i32::from(years_min)
        {
            return Err(Ineligible::TooYoung);
        }
        if standing.identity.is_some_and(|identity| !self.regions.allow(identity.region)) {
            return Err(Ineligible::Region);
        }
        match action {
            Action::Deposit(amount) => check_deposit(standing, usage, amount, now_ms),
            Action::Play(stake) => check_loss(standing, usage, stake, now_ms),
            Action::Withdraw(_) => Ok(()),
        }
    }
}

/// Every window has to allow it, so the strictest wins.
fn check_deposit(standing: &Standing, usage: &Usage, amount: Amount, now_ms: i64) -> Result<(), Ineligible> {
    let windows = [
        (LimitKind::DepositDay, usage.deposited_day_minor),
        (LimitKind::DepositWeek, usage.deposited_week_minor),
        (LimitKind::DepositMonth, usage.deposited_month_minor),
    ];
    for (kind, used) in windows {
        check_limit(standing, kind, used.map(i128::from), amount, now_ms)?;
    }
    Ok(())
}

/// What is at stake counts as lost until the game is over: otherwise many games at once would pass any limit.
fn check_loss(standing: &Standing, usage: &Usage, stake: Amount, now_ms: i64) -> Result<(), Ineligible> {
    let used = match (usage.lost_day_minor, usage.at_stake_minor) {
        (Some(lost), Some(at_stake)) => Some(i128::from(lost) + i128::from(at_stake)),
        _ => None,
    };
    check_limit(standing, LimitKind::LossDay, used, stake, now_ms)
}

fn check_limit(
    standing: &Standing,
    kind: LimitKind,
    used_minor: Option<i128>,
    amount: Amount,
    now_ms: i64,
) -> Result<(), Ineligible> {
    let Some(limit) = standing.limits.at(kind, now_ms) else {
        return Ok(());
    };
    let left = i128::from(limit) - used_minor.ok_or(Ineligible::Undecidable)?;
    if i128::from(amount.minor()) <= left {
        return Ok(());
    }
    let left_minor = i64::try_from(left.max(0)).unwrap_or(i64::MAX);
    Err(Ineligible::Limit { kind, left_minor })
}
