//! The cities: what is staked where, under which clocks, and when.
//!
//! A city is an event stream that operators write ([`crate::app::save_city`]); this is what the rest of the service knows of
//! it. Every instance keeps all cities in memory and reads them again when another one says that something changed, and
//! every few seconds in case that was not heard. An instance that is behind does no harm: a ticket carries the terms that its
//! player agreed to, and no two tickets are paired under others.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use proto::matchmaking::v1::CancelReason;
use sqlx::PgPool;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::store::cities;

mod seeds;

pub use seeds::{STAKED_CLOCKS, development, production};

/// How often the cities are read again when nobody says that one has changed.
const RELOAD_EVERY: Duration = Duration::from_secs(5);

/// Minutes of a day.
const DAY_MINUTES: i64 = 24 * 60;

/// A chess clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeControl {
    /// Time at the start, in milliseconds.
    pub base_ms: i64,
    /// Added after each move, in milliseconds.
    pub increment_ms: i64,
}

impl TimeControl {
    /// A control of whole minutes and seconds.
    #[must_use]
    pub const fn minutes_plus_seconds(minutes: i64, seconds: i64) -> Self {
        Self { base_ms: minutes * 60_000, increment_ms: seconds * 1_000 }
    }

    /// The name of its rating pool, as `3+2`.
    #[must_use]
    pub fn pool(self) -> String {
        format!("{}+{}", self.base_ms / 60_000, self.increment_ms / 1_000)
    }
}

/// A stretch of every day, in UTC; it may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenHours {
    /// The minute of the day from which on it is open.
    pub opens_minute: u16,
    /// The minute of the day from which on it is closed.
    pub closes_minute: u16,
}

impl OpenHours {
    /// Whether a time, in milliseconds since the Unix epoch, is in it.
    #[must_use]
    pub fn contain(self, now_ms: i64) -> bool {
        let minute = now_ms.div_euclid(60_000).rem_euclid(DAY_MINUTES);
        let (opens, closes) = (i64::from(self.opens_minute), i64::from(self.closes_minute));
        if opens <= closes { (opens..closes).contains(&minute) } else { minute >= opens || minute < closes }
    }
}

/// What players agree to when they queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What each stakes, in minor units.
    pub stake_minor_units: i64,
    /// ISO 4217 code of the stake.
    pub currency: String,
    /// The house's fee on the pot.
    pub fee_basis_points: u32,
}

/// What an operator decides about a city.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Its name.
    pub name: String,
    /// The stake and the fee.
    pub terms: Terms,
    /// The clocks played there.
    pub time_controls: Vec<TimeControl>,
    /// When one can queue there; none for always.
    pub open_hours: Option<OpenHours>,
    /// Whether one can queue there at all.
    pub is_enabled: bool,
}

/// A stake and the clocks it is played under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct City {
    /// Its id, as `paris`.
    pub id: String,
    /// The version of its settings.
    pub version: i64,
    /// How many times faster than real time the clocks run: always 1 outside development.
    pub time_scale: u32,
    /// What an operator decides.
    pub settings: Settings,
}

impl City {
    /// Whether one can queue here at a time, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn is_open(&self, now_ms: i64) -> bool {
        let is_within_hours = self.settings.open_hours.is_none_or(|hours| hours.contain(now_ms));
        self.settings.is_enabled && is_within_hours
    }

    /// Why somebody who queued here under these terms may wait no longer; nothing when he may.
    #[must_use]
    pub fn turns_away(&self, terms: &Terms, time_control: TimeControl, now_ms: i64) -> Option<CancelReason> {
        if !self.is_open(now_ms) {
            Some(CancelReason::CityClosed)
        } else if self.settings.terms != *terms || !self.settings.time_controls.contains(&time_control) {
            Some(CancelReason::CityChanged)
        } else {
            None
        }
    }
}

/// All cities, as this instance knows them; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Cities {
    known: Arc<RwLock<Arc<Vec<Arc<City>>>>>,
    changed: Arc<Notify>,
}

impl Cities {
    /// The cities of the database.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn read(pool: &PgPool) -> Result<Self, sqlx::Error> {
        let cities = Self::default();
        cities.reload(pool).await?;
        Ok(cities)
    }

    /// Reads them again.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn reload(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let all = Arc::new(cities::all(pool).await?.into_iter().map(Arc::new).collect());
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }

    /// Says that they are to be read again soon.
    pub fn are_outdated(&self) {
        self.changed.notify_one();
    }

    /// Reads them again when they are outdated, and every few seconds, until `shutdown`.
    pub async fn keep_fresh(self, pool: PgPool, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(RELOAD_EVERY);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = self.changed.notified() => {}
                _ = ticks.tick() => {}
            }
            if let Err(error) = self.reload(&pool).await {
                tracing::warn!(%error, "cities could not be read again");
            }
        }
    }

    /// The city with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<City>> {
        self.all().iter().find(|city| city.id == id).cloned()
    }

    /// All of them, cheapest stake first.
    #[must_use]
    pub fn all(&self) -> Arc<Vec<Arc<City>>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests;
