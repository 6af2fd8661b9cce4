//! What is known of one player, and what the player has asked for.

use thiserror::Error;

use super::{BirthDate, DAY_MS, Limit, LimitKind, Limits, Region};

/// The shortest self-exclusion: six months.
pub const EXCLUSION_MS_MIN: i64 = 183 * DAY_MS;

/// Who somebody is, as it was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// When he was born.
    pub born: BirthDate,
    /// Where he is.
    pub region: Region,
}

/// A time without play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exclusion {
    /// Until this time, in milliseconds since the Unix epoch.
    Until(i64),
    /// For ever.
    ForEver,
}

impl Exclusion {
    /// Whether it holds at an instant.
    #[must_use]
    pub fn holds_at(self, now_ms: i64) -> bool {
        match self {
            Self::Until(until_ms) => now_ms < until_ms,
            Self::ForEver => true,
        }
    }
}

/// What happened to a player's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandingEvent {
    /// His identity was verified, once more perhaps.
    IdentityVerified(Identity),
    /// He keeps himself from playing.
    Excluded {
        /// For how long.
        exclusion: Exclusion,
        /// Since when.
        excluded_ms: i64,
    },
    /// He asked for a limit.
    LimitSet {
        /// Of what.
        kind: LimitKind,
        /// In minor units; none to have none.
        limit: Limit,
        /// When he asked.
        asked_ms: i64,
        /// From when it counts.
        from_ms: i64,
    },
}

/// Why a wish is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StandingRefusal {
    /// Less than six months.
    #[error("an exclusion lasts six months at least")]
    TooShort,
    /// An exclusion that stands would end earlier.
    #[error("an exclusion cannot be shortened")]
    Shortens,
    /// A limit below zero.
    #[error("a limit is not negative")]
    NegativeLimit,
}

/// The standing of one player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Who he is, if that was verified.
    pub identity: Option<Identity>,
    /// His last exclusion.
    pub exclusion: Option<Exclusion>,
    /// His limits.
    pub limits: Limits,
}

impl Standing {
    /// Keeps the player from playing, at once.
    ///
    /// # Errors
    /// When it is too short, or shorter than one that stands (`LEDGER-8`).
    pub fn exclude(&self, wanted: Exclusion, now_ms: i64) -> Result<StandingEvent, StandingRefusal> {
        if let Exclusion::Until(until_ms) = wanted
            && until_ms < now_ms.saturating_add(EXCLUSION_MS_MIN)
        {
            return Err(StandingRefusal::TooShort);
        }
        match self.exclusion {
            Some(standing) if standing.holds_at(now_ms) && wanted < standing => {
                Err(StandingRefusal::Shortens)
            }
            _ => Ok(StandingEvent::Excluded { exclusion: wanted, excluded_ms: now_ms }),
        }
    }

    /// Sets a limit, from now on or from when it may count.
    ///
    /// # Errors
    /// When it is negative.
    pub fn set_limit(
        &self,
        kind: LimitKind,
        limit: Limit,
        now_ms: i64,
    ) -> Result<StandingEvent, StandingRefusal> {
        if limit.is_some_and(|minor| minor < 0) {
            return Err(StandingRefusal::NegativeLimit);
        }
        let from_ms = self.limits.counts_from_ms(kind, limit, now_ms);
        Ok(StandingEvent::LimitSet { kind, limit, asked_ms: now_ms, from_ms })
    }

    /// After an event.
    #[must_use]
    pub fn evolve(mut self, event: &StandingEvent) -> Self {
        match *event {
            StandingEvent::IdentityVerified(identity) => self.identity = Some(identity),
            StandingEvent::Excluded { exclusion, .. } => self.exclusion = Some(exclusion),
            StandingEvent::LimitSet { kind, limit, asked_ms, from_ms } => {
                self.limits = self.limits.with(kind, limit, asked_ms, from_ms);
            }
        }
        self
    }
}
