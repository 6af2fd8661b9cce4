//! A pair's day: places are reserved, counted and released.
//!
//! Every use case runs in the caller's transaction. It locks the match first and the pair's day second, so that nobody waits
//! in a circle, then decides on the day's own log; the log's version is the last guard.

use domain_fairplay::pairs::{
    Command, Contradiction, Event, MatchId, PairDayKey, PersonId, Relation, SamePerson, UtcDay, pair_day_key,
};
use event_store::{AppendError, Metadata};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::metrics::PAIRINGS;
use crate::store::pair_days;
use crate::store::pair_log::{self, Seats};
use crate::store::persons::{self, Person};
use crate::store::{ReadError, match_pairs};

/// A match that asks for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// The match.
    pub match_id: Uuid,
    /// White.
    pub white_id: Uuid,
    /// Black.
    pub black_id: Uuid,
    /// When it was proposed, in milliseconds since the Unix epoch: this decides the day.
    pub proposed_at_ms: i64,
}

/// Why a pair's day was not changed.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// Both seats belong to one player.
    #[error(transparent)]
    SamePerson(#[from] SamePerson),
    /// The instant is in no calendar of ours.
    #[error("{proposed_at_ms} ms is no time of a proposal")]
    NoSuchDay {
        /// What was given.
        proposed_at_ms: i64,
    },
    /// A game of a match whose proposal has not come; it is on its way.
    #[error("match {match_id} has not been proposed here")]
    NotProposed {
        /// The match.
        match_id: Uuid,
    },
    /// The command cannot follow what has happened.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The day's log is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The event was not written.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Postgres did not do it.
    #[error("the pairs are unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// Reserves a place, or refuses it; does nothing for a match that was given up before.
///
/// # Errors
/// See [`PairError`].
pub async fn reserve(
    conn: &mut PgConnection,
    proposal: &Proposal,
    metadata: Metadata,
) -> Result<(), PairError> {
    let players = key(proposal)?;
    persons::hold(&mut *conn).await?;
    let pair = Pair {
        persons: [
            persons::find(&mut *conn, proposal.white_id).await?,
            persons::find(&mut *conn, proposal.black_id).await?,
        ],
        players,
    };
    let key = pair.key();
    let stream_id = pair_log::stream_id(&key);
    // An earlier answer stands, also that the match was given up.
    let Some(stream_id) = match_pairs::assign(conn, proposal.match_id, Some(stream_id)).await? else {
        tracing::info!(match_id = %proposal.match_id, "proposal of a match that was given up before");
        return Ok(());
    };
    pair_days::ensure(conn, stream_id, &key).await?;
    apply(conn, stream_id, proposal.match_id, Step::Reserve(&pair), metadata).await
}

/// The players of a match, and who they are.
#[derive(Debug)]
struct Pair {
    persons: [Person; 2],
    players: PairDayKey,
}

impl Pair {
    /// The persons' day; that of the accounts when both are one person's.
    fn key(&self) -> PairDayKey {
        let [one, other] = &self.persons;
        pair_day(one.person_id, other.person_id, self.players.day()).unwrap_or(self.players)
    }

    fn seats(&self) -> Seats {
        let mut person_ids: Vec<Uuid> = Vec::new();
        if self.persons.iter().any(|person| person.accounts.len() > 1) {
            person_ids.extend(self.persons.iter().map(|person| person.person_id));
            person_ids.sort_unstable();
            person_ids.dedup();
        }
        Seats { players: self.players, person_ids }
    }

    async fn relation(&self, conn: &mut PgConnection, stream_id: Uuid) -> Result<Relation, sqlx::Error> {
        let [one, other] = &self.persons;
        if one.person_id == other.person_id {
            return Ok(Relation::Same);
        }
        Ok(Relation::Apart {
            taken_elsewhere: taken_elsewhere(conn, stream_id, self.players.day(), [one, other]).await?
                as usize,
        })
    }
}

/// Places that two persons hold on a day outside of their own stream.
///
/// # Errors
/// When Postgres does not answer.
pub async fn taken_elsewhere(
    conn: &mut PgConnection,
    stream_id: Uuid,
    day: UtcDay,
    [one, other]: [&Person; 2],
) -> Result<u32, sqlx::Error> {
    if one.accounts.len() + other.accounts.len() == 2 {
        return Ok(0);
    }
    pair_days::taken_elsewhere(conn, stream_id, day, [&one.accounts, &other.accounts]).await
}

/// Uses a match's place up: its game was played.
///
/// # Errors
/// See [`PairError`].
pub async fn count(conn: &mut PgConnection, match_id: Uuid, metadata: Metadata) -> Result<(), PairError> {
    match match_pairs::find(&mut *conn, match_id).await? {
        Some(Some(stream_id)) => apply(conn, stream_id, match_id, Step::Count, metadata).await,
        Some(None) => Err(Contradiction::NotReserved.into()),
        None => Err(PairError::NotProposed { match_id }),
    }
}

/// Gives a match's place back, and sees to it that a proposal that comes later takes none.
///
/// # Errors
/// See [`PairError`].
pub async fn release(conn: &mut PgConnection, match_id: Uuid, metadata: Metadata) -> Result<(), PairError> {
    match match_pairs::assign(conn, match_id, None).await? {
        Some(stream_id) => apply(conn, stream_id, match_id, Step::Release, metadata).await,
        None => Ok(()),
    }
}

/// The key of two players' day.
///
/// # Errors
/// When the two are one.
pub fn pair_day(a: Uuid, b: Uuid, day: UtcDay) -> Result<PairDayKey, SamePerson> {
    pair_day_key(PersonId(a.as_u128()), PersonId(b.as_u128()), day)
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Reserve(&'a Pair),
    Count,
    Release,
}

fn key(proposal: &Proposal) -> Result<PairDayKey, PairError> {
    let proposed_at_ms = proposal.proposed_at_ms;
    let day = UtcDay::of_unix_ms(proposed_at_ms);
    if i32::try_from(day.0).is_err() {
        return Err(PairError::NoSuchDay { proposed_at_ms });
    }
    Ok(pair_day(proposal.white_id, proposal.black_id, day)?)
}

async fn apply(
    conn: &mut PgConnection,
    stream_id: Uuid,
    match_id: Uuid,
    step: Step<'_>,
    metadata: Metadata,
) -> Result<(), PairError> {
    let key = pair_days::lock(conn, stream_id).await?;
    let log = pair_log::read(conn, stream_id).await?;
    let match_id = MatchId(match_id.as_u128());
    let command = match step {
        Step::Reserve(pair) => {
            // Behind the lock: nobody else takes a place of these two persons now.
            Command::Reserve { match_id, relation: pair.relation(conn, stream_id).await? }
        }
        Step::Count => Command::Count { match_id },
        Step::Release => Command::Release { match_id },
    };
    let Some(event) = log.day.decide(command)? else { return Ok(()) };
    let seats = match step {
        Step::Reserve(pair) => pair.seats(),
        Step::Count | Step::Release => Seats { players: key, person_ids: Vec::new() },
    };
    pair_log::append(conn, &log, &seats, &event, metadata).await?;
    let mut day = log.day;
    day.evolve(&event);
    pair_days::set_slots(conn, stream_id, day.slots_taken()).await?;
    metrics::counter!(PAIRINGS, "event" => name(&event)).increment(1);
    Ok(())
}

fn name(event: &Event) -> &'static str {
    match event {
        Event::PairingReserved { .. } => "reserved",
        Event::PairingRefused { .. } => "refused",
        Event::PairingCounted { .. } => "counted",
        Event::PairingReleased { .. } => "released",
    }
}
