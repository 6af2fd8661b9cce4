//! A player's own limits.

use super::DAY_MS;

/// How long a higher limit waits, so that nobody raises it in the heat of the moment.
pub const RAISE_WAIT_MS: i64 = DAY_MS;

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LimitKind {
    /// Gross deposits of any 24 hours.
    DepositDay,
    /// Gross deposits of any 7 days.
    DepositWeek,
    /// Gross deposits of any 30 days.
    DepositMonth,
    /// What games cost in any 24 hours, less what they won.
    LossDay,
}

impl LimitKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::DepositDay, Self::DepositWeek, Self::DepositMonth, Self::LossDay];

    /// Over which time it counts.
    #[must_use]
    pub const fn window_ms(self) -> i64 {
        match self {
            Self::DepositDay | Self::LossDay => DAY_MS,
            Self::DepositWeek => 7 * DAY_MS,
            Self::DepositMonth => 30 * DAY_MS,
        }
    }
}

/// A limit in minor units, or none.
pub type Limit = Option<i64>;

/// A limit that counts from some time on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Slot {
    now: Limit,
    later: Option<(Limit, i64)>,
}

/// A player's limits, each of them alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    slots: [Slot; 4],
}

impl Limits {
    /// The limit that counts at an instant.
    #[must_use]
    pub fn at(&self, kind: LimitKind, now_ms: i64) -> Limit {
        let slot = self.slots[kind as usize];
        match slot.later {
            Some((limit, from_ms)) if from_ms <= now_ms => limit,
            _ => slot.now,
        }
    }

    /// The limit that will count and from when, if a higher one waits.
    #[must_use]
    pub fn waiting(&self, kind: LimitKind, now_ms: i64) -> Option<(Limit, i64)> {
        self.slots[kind as usize].later.filter(|(_, from_ms)| *from_ms > now_ms)
    }

    /// From when a limit that is asked for now counts: at once if it is as strict or stricter (`LEDGER-8`).
    #[must_use]
    pub fn counts_from_ms(&self, kind: LimitKind, limit: Limit, now_ms: i64) -> i64 {
        let is_raise = match (self.at(kind, now_ms), limit) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(now), Some(asked)) => asked > now,
        };
        if is_raise { now_ms.saturating_add(RAISE_WAIT_MS) } else { now_ms }
    }

    /// After a limit was asked for at `asked_ms` that counts from `from_ms`. A later wish replaces one that still waits.
    #[must_use]
    pub fn with(mut self, kind: LimitKind, limit: Limit, asked_ms: i64, from_ms: i64) -> Self {
        let now = self.at(kind, asked_ms);
        self.slots[kind as usize] = if from_ms <= asked_ms {
            Slot { now: limit, later: None }
        } else {
            Slot { now, later: Some((limit, from_ms)) }
        };
        self
    }
}
