//! Pairing: of all instances one leads each queue, by a lease, and says who meets whom there.
//!
//! The lease keeps two instances from doing the same work; that no player is paired twice does not hang on it. Each pair is
//! claimed by one script that looks at the lease and at both tickets, and seated in Postgres, which lets a player into one match.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use event_store::CommitSignal;
use futures::{StreamExt as _, stream};
use sqlx::PgPool;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::cities::{Cities, City};
use crate::app::match_process::Phase;
use crate::app::notices::{Notice, Notices};
use crate::app::propose::{self, Proposal, ProposeError};
use crate::app::queue::{Queue, now_ms, queues};
use crate::app::tickets::{Apart, QueueKey, State, Ticket, pairs, rounded};
use crate::store::matches::{self, MatchRow, Seat};
use crate::store::tickets::{Claim, Led, Move, TicketError, TicketStore};
use crate::store::{bars, blocks};

/// How often all queues are looked at, besides at every join: windows widen, and leaders die.
const PAIR_EVERY: Duration = Duration::from_millis(250);

/// How many matches are proposed at a time.
const PROPOSALS_AT_ONCE_MAX: usize = 8;

/// After a pass that took longer than [`PAIR_EVERY`] the queue rests for as many times as long, so that a crowd in which somebody
/// joins all the time does not keep the leader and the store busy with nothing else.
const REST_FACTOR: u32 = 2;

/// Nudges that may wait; more say nothing new.
const NUDGES_MAX: usize = 1_024;

/// A word that a queue is worth a pass now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nudge {
    /// From this instance, which passes it on when another one leads.
    FromHere(QueueKey),
    /// From another instance.
    FromElsewhere(QueueKey),
}

/// Where nudges are handed in.
#[derive(Debug, Clone)]
pub struct Nudges {
    sender: mpsc::Sender<Nudge>,
}

impl Nudges {
    /// The handle, and the end for the [`Leader`].
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Nudge>) {
        let (sender, nudges) = mpsc::channel(NUDGES_MAX);
        (Self { sender }, nudges)
    }

    /// Nudges, unless enough nudges wait already; every queue is looked at several times a second anyway.
    pub fn send(&self, nudge: Nudge) {
        let _ = self.sender.try_send(nudge);
    }
}

/// Leads those queues that no other instance leads.
pub struct Leader {
    /// Where matches are proposed.
    pub pool: PgPool,
    /// The terms.
    pub cities: Cities,
    /// The tickets.
    pub store: TicketStore,
    /// Wakes the relay after a commit.
    pub signal: CommitSignal,
    /// Told of matches that were proposed.
    pub queue: Queue,
    /// The way to the leaders of other queues.
    pub notices: Notices,
}

impl Leader {
    /// Looks at the queues until `shutdown`, then leaves them to others.
    pub async fn run(self, mut nudges: mpsc::Receiver<Nudge>, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(PAIR_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut led: HashSet<QueueKey> = HashSet::new();
        let mut rests_until: HashMap<QueueKey, Instant> = HashMap::new();
        let mut is_down = false;
        loop {
            let nudged = tokio::select! {
                () = shutdown.cancelled() => break,
                nudge = nudges.recv() => match nudge {
                    Some(nudge) => drain(nudge, &mut nudges),
                    None => break,
                },
                _ = ticks.tick() => {
                    queues(&self.cities).into_iter().map(|queue| (queue, Origin::Elsewhere)).collect()
                }
            };
            let mut outcome = Ok(());
            for (queue, origin) in nudged {
                let begun = Instant::now();
                if rests_until.get(&queue).is_some_and(|until| begun < *until) {
                    continue;
                }
                match self.pass(&queue, origin).await {
                    Ok(Led::Leading(_)) => {
                        let took = begun.elapsed();
                        if took > PAIR_EVERY {
                            rests_until.insert(queue.clone(), Instant::now() + took * REST_FACTOR);
                        }
                        led.insert(queue);
                    }
                    Ok(Led::Following | Led::Idle) => drop(led.remove(&queue)),
                    Err(error) => {
                        outcome = Err(error);
                        break;
                    }
                }
            }
            note_outage(&mut is_down, outcome);
        }
        for queue in led {
            // Nobody waits for the lease to run out when it can be given up.
            let _ = self.store.resign(&queue).await;
        }
    }

    async fn pass(&self, queue: &QueueKey, origin: Origin) -> Result<Led, TicketError> {
        let led = self.store.lead(queue).await?;
        match &led {
            Led::Leading(players) => self.pair(queue, players).await?,
            Led::Following if origin == Origin::Here => self.notices.send(Notice::Queue(queue.clone())),
            Led::Following | Led::Idle => {}
        }
        Ok(led)
    }

    async fn pair(&self, queue: &QueueKey, players: &[Uuid]) -> Result<(), TicketError> {
        let Some(city) = self.cities.find(&queue.city_id) else { return Ok(()) };
        let now_ms = now_ms();
        let mut tickets = self.store.searching(players).await?;
        // Who waits under other terms is told so by the instance that he is connected to; nobody else decides for him.
        tickets.retain(|ticket| city.turns_away(&ticket.terms, queue.time_control, now_ms).is_none());
        let apart = match self.apart(&tickets).await {
            Ok(apart) => apart,
            Err(error) => {
                // Who must not meet is not known, so nobody meets; matches could not be written either.
                tracing::warn!(%error, "who must be kept apart could not be read; nobody is paired");
                return Ok(());
            }
        };
        let meetings = pairs(&tickets, &apart, now_ms, now_ms.unsigned_abs());
        let by_player: HashMap<Uuid, &Ticket> =
            tickets.iter().map(|ticket| (ticket.applicant.player_id, ticket)).collect();
        stream::iter(meetings)
            .map(|(white_id, black_id)| self.seat(&city, by_player[&white_id], by_player[&black_id], now_ms))
            .buffer_unordered(PROPOSALS_AT_ONCE_MAX)
            .fold(Ok(()), |before, this| async { before.and(this) })
            .await
    }

    /// Asked at every pass, so that a block or a bar holds for those who wait already (MATCH-14).
    async fn apart(&self, tickets: &[Ticket]) -> Result<Apart, sqlx::Error> {
        let players: Vec<Uuid> = tickets.iter().map(|ticket| ticket.applicant.player_id).collect();
        let excluded =
            bars::kept_out(&self.pool, &players).await?.into_iter().map(|(player_id, _)| player_id);
        let blocked = blocks::among(&self.pool, &players).await?;
        Ok(Apart { excluded: excluded.collect(), blocked })
    }

    /// Claims two tickets and proposes their match.
    async fn seat(
        &self,
        city: &Arc<City>,
        white: &Ticket,
        black: &Ticket,
        now_ms: i64,
    ) -> Result<(), TicketError> {
        let (match_id, game_id) = propose::new_ids();
        if !self.store.claim(Claim { match_id, white, black, now_ms }).await? {
            return Ok(());
        }
        let row = MatchRow {
            match_id,
            game_id,
            city_id: white.queue.city_id.clone(),
            time_control: white.queue.time_control,
            white: seat(white),
            black: seat(black),
            phase: Phase::Proposed,
            cancel_reason: 0,
            cancelled_by: None,
        };
        let (pool, city) = (self.pool.clone(), city.clone());
        let proposal = Proposal { row, proposed_at_ms: now_ms };
        // In a task of its own, so that the end of this one does not break off the transaction.
        let proposing = tokio::spawn(async move { propose::propose(&pool, &city, &proposal).await });
        match proposing.await {
            Ok(Ok(())) => {
                self.signal.committed();
                self.queue.match_changed(match_id).await;
            }
            Ok(Err(ProposeError::PlayerBusy)) => {
                for ticket in [white, black] {
                    self.put_where_he_sits(ticket, match_id).await?;
                }
            }
            Ok(Err(error)) => {
                // Whether it was written after all is read by whoever follows the tickets.
                tracing::warn!(%match_id, %error, "match could not be proposed");
                self.queue.match_changed(match_id).await;
            }
            Err(error) => tracing::error!(%match_id, %error, "proposing a match panicked"),
        }
        Ok(())
    }

    /// Takes a ticket out of a match that was refused, into the match in which its player sits instead if he does.
    async fn put_where_he_sits(&self, ticket: &Ticket, refused_id: Uuid) -> Result<(), TicketError> {
        let player_id = ticket.applicant.player_id;
        let sits_in = match matches::of_player(&self.pool, player_id).await {
            Ok(row) => row.map(|row| row.match_id),
            Err(error) => {
                tracing::warn!(%player_id, %error, "a player's match could not be read");
                return Ok(());
            }
        };
        let to = sits_in.map_or(State::Searching, State::InMatch);
        let from = State::InMatch(refused_id);
        self.store.change(Move { player_id, queue: &ticket.queue, from, to, search: None }).await?;
        match sits_in {
            Some(match_id) => self.queue.match_changed(match_id).await,
            None => self.queue.look_at(player_id),
        }
        Ok(())
    }
}

/// Who says that a queue is worth a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Here,
    Elsewhere,
}

/// All nudges that wait, each queue once.
fn drain(first: Nudge, nudges: &mut mpsc::Receiver<Nudge>) -> HashMap<QueueKey, Origin> {
    let mut nudged = HashMap::new();
    let mut next = Some(first);
    while let Some(nudge) = next {
        match nudge {
            Nudge::FromHere(queue) => drop(nudged.insert(queue, Origin::Here)),
            Nudge::FromElsewhere(queue) => drop(nudged.entry(queue).or_insert(Origin::Elsewhere)),
        }
        next = nudges.try_recv().ok();
    }
    nudged
}

/// Says once that an outage begins and once that it is over.
fn note_outage(is_down: &mut bool, outcome: Result<(), TicketError>) {
    match outcome {
        Ok(()) if *is_down => {
            *is_down = false;
            tracing::info!("the ticket store answers again");
        }
        Err(error) if !*is_down => {
            *is_down = true;
            tracing::warn!(%error, "the ticket store does not answer; nobody is paired");
        }
        Ok(()) | Err(_) => {}
    }
}

fn seat(ticket: &Ticket) -> Seat {
    Seat {
        player_id: ticket.applicant.player_id,
        name: ticket.applicant.name.clone(),
        request_id: ticket.applicant.request_id,
        rating: rounded(ticket.applicant.rating),
        queued_at_ms: ticket.queued_at_ms,
    }
}
