//! Six staked games a pair of persons and UTC day.
//!
//! A slot is taken when a match is *reserved*, before any stake is held, so that any number of concurrent
//! proposals give exactly six. It is kept for good when the game was played (*counted*) and given back when it was
//! not (*released*). A match belongs to the day of its reservation: one reserved before midnight and ended after it
//! is counted on the day before. Commands therefore go to the [`PairDay`] that holds the match's reservation.
//!
//! A pair is one of persons, not of accounts. When two accounts are found to be one person's in the middle of a day, what the
//! pair had under its former names is counted too ([`Relation::Apart`]).

use std::collections::BTreeMap;

use thiserror::Error;

/// Staked games a pair may have on one UTC day.
pub const GAMES_PER_DAY_MAX: usize = 6;

const DAY_MS: i64 = 86_400_000;

/// A person, by the bits of his id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonId(pub u128);

/// A match, by the bits of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchId(pub u128);

/// A UTC day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UtcDay(pub i64);

impl UtcDay {
    /// The day of an instant in milliseconds of Unix time. A day begins with its first millisecond.
    #[must_use]
    pub fn of_unix_ms(unix_ms: i64) -> Self {
        Self(unix_ms.div_euclid(DAY_MS))
    }
}

/// What names a pair's day; the order of the two persons does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairDayKey {
    lower: PersonId,
    higher: PersonId,
    day: UtcDay,
}

impl PairDayKey {
    /// The person with the lower id.
    #[must_use]
    pub fn lower(&self) -> PersonId {
        self.lower
    }

    /// The person with the higher id.
    #[must_use]
    pub fn higher(&self) -> PersonId {
        self.higher
    }

    /// The day.
    #[must_use]
    pub fn day(&self) -> UtcDay {
        self.day
    }
}

/// One person cannot be a pair.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("both seats belong to one person")]
pub struct SamePerson;

/// The key of an unordered pair's day.
///
/// # Errors
///
/// [`SamePerson`] when the two are one.
pub fn pair_day_key(a: PersonId, b: PersonId, day: UtcDay) -> Result<PairDayKey, SamePerson> {
    match a.cmp(&b) {
        std::cmp::Ordering::Less => Ok(PairDayKey { lower: a, higher: b, day }),
        std::cmp::Ordering::Greater => Ok(PairDayKey { lower: b, higher: a, day }),
        std::cmp::Ordering::Equal => Err(SamePerson),
    }
}

/// Where a match stands in its pair's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It holds a slot; its game is not over.
    Reserved,
    /// Its game was played: the slot is used up.
    Counted,
    /// It was given up before a game was played: the slot is free again.
    Released,
    /// It got no slot: the pair had its six.
    Refused,
}

impl Standing {
    fn holds_a_slot(self) -> bool {
        matches!(self, Self::Reserved | Self::Counted)
    }
}

/// What may be asked of a pair's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take a slot for a match.
    Reserve {
        /// The match.
        match_id: MatchId,
        /// What is known of the two persons.
        relation: Relation,
    },
    /// The match's game was played.
    Count {
        /// The match.
        match_id: MatchId,
    },
    /// The match will have no game.
    Release {
        /// The match.
        match_id: MatchId,
    },
}

/// Who the two players of a match are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Two persons.
    Apart {
        /// Slots that the same two persons hold on this day under other names: their other accounts, before they were linked.
        taken_elsewhere: usize,
    },
    /// Two accounts of one person.
    Same,
}

/// What happened in a pair's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A match took a slot.
    PairingReserved {
        /// The match.
        match_id: MatchId,
    },
    /// A match got no slot. It is an event so that the answer stays the same when the question comes again.
    PairingRefused {
        /// The match.
        match_id: MatchId,
        /// Why.
        reason: Refusal,
    },
    /// A match's slot is used up.
    PairingCounted {
        /// The match.
        match_id: MatchId,
    },
    /// A match's slot is free again.
    PairingReleased {
        /// The match.
        match_id: MatchId,
    },
}

/// Why a match gets no slot.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The pair has its [`GAMES_PER_DAY_MAX`] matches of the day.
    #[error("the pair has {GAMES_PER_DAY_MAX} staked games on this day")]
    PairLimitReached,
    /// Both accounts are one person's.
    #[error("both accounts are one person's")]
    SamePerson,
}

/// A command that contradicts what has happened: a fault of the sender, not a rule of play.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Contradiction {
    /// A match was to be counted that holds no reservation.
    #[error("the match holds no reservation")]
    NotReserved,
    /// A match was to be released whose game was played.
    #[error("the match is counted already")]
    AlreadyCounted,
}

/// The matches of a pair on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairDay {
    matches: BTreeMap<MatchId, Standing>,
}

impl PairDay {
    /// The state after a history of events.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut day = Self::default();
        events.into_iter().for_each(|event| day.evolve(event));
        day
    }

    /// The state from stored rows.
    pub fn restore(rows: impl IntoIterator<Item = (MatchId, Standing)>) -> Self {
        Self { matches: rows.into_iter().collect() }
    }

    /// Where a match stands, if it was ever named here.
    #[must_use]
    pub fn standing(&self, match_id: MatchId) -> Option<Standing> {
        self.matches.get(&match_id).copied()
    }

    /// The matches that hold a slot.
    #[must_use]
    pub fn slots_taken(&self) -> usize {
        self.matches.values().filter(|standing| standing.holds_a_slot()).count()
    }

    /// The matches that stand so.
    pub fn with_standing(&self, standing: Standing) -> impl Iterator<Item = MatchId> + '_ {
        self.matches.iter().filter(move |(_, s)| **s == standing).map(|(id, _)| *id)
    }

    /// Decides a command. `Ok(None)` means that it was done before; [`PairDay::standing`] then tells how it
    /// ended the first time, which a repeat never changes (`PAIR-2`).
    ///
    /// A release that overtakes its reservation is remembered, so that the late reservation takes no slot.
    ///
    /// # Errors
    ///
    /// [`Contradiction`] when the command cannot follow what has happened.
    pub fn decide(&self, command: Command) -> Result<Option<Event>, Contradiction> {
        match command {
            Command::Reserve { match_id, relation } => Ok(self.decide_reserve(match_id, relation)),
            Command::Count { match_id } => match self.standing(match_id) {
                Some(Standing::Reserved) => Ok(Some(Event::PairingCounted { match_id })),
                Some(Standing::Counted) => Ok(None),
                Some(Standing::Released | Standing::Refused) | None => Err(Contradiction::NotReserved),
            },
            Command::Release { match_id } => match self.standing(match_id) {
                Some(Standing::Reserved) | None => Ok(Some(Event::PairingReleased { match_id })),
                Some(Standing::Released | Standing::Refused) => Ok(None),
                Some(Standing::Counted) => Err(Contradiction::AlreadyCounted),
            },
        }
    }

    /// Applies what happened.
    pub fn evolve(&mut self, event: &Event) {
        let (match_id, standing) = match *event {
            Event::PairingReserved { match_id } => (match_id, Standing::Reserved),
            Event::PairingRefused { match_id, .. } => (match_id, Standing::Refused),
            Event::PairingCounted { match_id } => (match_id, Standing::Counted),
            Event::PairingReleased { match_id } => (match_id, Standing::Released),
        };
        self.matches.insert(match_id, standing);
    }

    fn decide_reserve(&self, match_id: MatchId, relation: Relation) -> Option<Event> {
        if self.matches.contains_key(&match_id) {
            return None;
        }
        let refused = |reason| Some(Event::PairingRefused { match_id, reason });
        match relation {
            Relation::Same => refused(Refusal::SamePerson),
            Relation::Apart { taken_elsewhere }
                if self.slots_taken() + taken_elsewhere >= GAMES_PER_DAY_MAX =>
            {
                refused(Refusal::PairLimitReached)
            }
            Relation::Apart { .. } => Some(Event::PairingReserved { match_id }),
        }
    }
}
