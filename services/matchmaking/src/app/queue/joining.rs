//! Joining: a new ticket, or the one, the match or the game that the player has.

use std::sync::Arc;

use proto::matchmaking::v1::CancelReason;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::task::Task;
use super::{Join, JoinError, now_ms};
use crate::app::cities::City;
use crate::app::followers::{FRAMES_PER_STREAM_MAX, Followed, Follower};
use crate::app::leader::Nudge;
use crate::app::match_process::Phase;
use crate::app::tickets::{Applicant, Ended, Frame, QueueKey, State, Ticket, day};
use crate::store::matches::{self, MatchRow};
use crate::store::players::{self, PlayerRecord, RecordKey};
use crate::store::tickets::{Entered, Entering, Move, TicketError, Unknown};

/// The rating of a player who has not played in a pool (rating service, Glicko-2).
const STARTING_RATING: f64 = 1500.0;

impl Task {
    pub(super) async fn join(&mut self, join: Join) -> Result<mpsc::Receiver<Frame>, JoinError> {
        let (stream, frames) = mpsc::channel(FRAMES_PER_STREAM_MAX);
        let now_ms = now_ms();
        if self.followers.get(join.player_id).is_some() {
            // It may have been left elsewhere a moment ago.
            self.reconcile(&[join.player_id]).await;
        }
        if let Some(follower) = self.followers.get_mut(join.player_id) {
            if follower.ticket.queue != join.queue {
                let city_id = follower.ticket.queue.city_id.clone();
                return Err(JoinError::AlreadyQueued { city_id });
            }
            follow(follower, stream)?;
            self.tell_the_new(join.player_id, now_ms).await;
        } else if let Some(row) = matches::of_player(&self.parts.pool, join.player_id).await? {
            self.rejoin(join, &row, stream, now_ms).await?;
        } else if let Some(row) =
            matches::of_request(&self.parts.pool, join.player_id, join.request_id).await?
        {
            // The same request again, and its game is over already: it must not cost a second stake.
            self.resume(join, &row, stream, now_ms).await?;
        } else {
            self.queue_up(join, stream, now_ms).await?;
        }
        Ok(frames)
    }

    async fn queue_up(
        &mut self,
        join: Join,
        stream: mpsc::Sender<Frame>,
        now_ms: i64,
    ) -> Result<(), JoinError> {
        let city = self.city(&join.queue)?;
        let city_id = || city.id.clone();
        if !city.settings.time_controls.contains(&join.queue.time_control) {
            return Err(JoinError::TimeControlNotPlayed { city_id: city_id() });
        }
        if !city.is_open(now_ms) {
            return Err(JoinError::CityClosed { city_id: city_id() });
        }
        let record = self.record(&join, &city).await?;
        refuse_without_funds(&record, &city)?;
        let how = if join.ticket_id.is_some() { Entering::Follow } else { Entering::Join };
        let (player_id, wanted_id) = (join.player_id, join.ticket_id);
        let ticket = ticket(join, &city, record, now_ms, now_ms);
        let ticket = match (self.enter(how, &ticket).await?, wanted_id) {
            (Entered::New, _) => ticket,
            (Entered::Known(known), _) => *known,
            (Entered::Elsewhere(queue), _) => {
                return Err(JoinError::AlreadyQueued { city_id: queue.city_id });
            }
            (Entered::None | Entered::Ended(_), Some(ticket_id)) => {
                return Err(JoinError::TicketGone { ticket_id });
            }
            (Entered::None | Entered::Ended(_), None) => {
                let what = "a join that makes a ticket found none".to_owned();
                return Err(TicketError::Unreadable(what).into());
            }
        };
        let queue = ticket.queue.clone();
        let mut follower = Follower::new(ticket);
        follower.estimated_wait_ms = self.estimated_wait_ms(&queue).await;
        follow(&mut follower, stream)?;
        self.followers.insert(follower);
        self.tell_the_new(player_id, now_ms).await;
        self.parts.nudges.send(Nudge::FromHere(queue));
        Ok(())
    }

    /// Enters a ticket of a player who sits in no match. If he has one that still says he does, its match is over, and nobody
    /// was there to take the ticket out of it.
    async fn enter(&self, how: Entering, ticket: &Ticket) -> Result<Entered, JoinError> {
        let store = &self.parts.store;
        let entered = store.enter(how, ticket).await?;
        let Entered::Known(mut known) = entered else { return Ok(entered) };
        let State::InMatch(match_id) = known.state else { return Ok(Entered::Known(known)) };
        let player_id = known.applicant.player_id;
        match matches::find(&self.parts.pool, match_id).await? {
            Some(row) if row.phase == Phase::Cancelled && row.cancelled_by != Some(player_id) => {
                let (from, queue) = (known.state, &known.queue);
                store.change(Move { player_id, queue, from, to: State::Searching, search: None }).await?;
                known.state = State::Searching;
                Ok(Entered::Known(known))
            }
            Some(row) if matches!(row.phase, Phase::Cancelled | Phase::Closed) => {
                let ended = match row.phase {
                    Phase::Closed => Ended::Matched(match_id),
                    _ => Ended::Closed(CancelReason::PlayerLeft),
                };
                store.close(player_id, known.state, ended, Unknown::MayReturn).await?;
                Ok(store.enter(how, ticket).await?)
            }
            _ => Ok(Entered::Known(known)),
        }
    }

    /// Says to a stream that has just come where the ticket stands.
    async fn tell_the_new(&mut self, player_id: Uuid, now_ms: i64) {
        let Some(follower) = self.followers.get_mut(player_id) else { return };
        match follower.ticket.state {
            State::Searching => follower.tell_searching(now_ms),
            State::InMatch(match_id) => self.follow_match(player_id, match_id, 0).await,
        }
    }

    /// The player is followed by nobody here but sits in a match: this instance was restarted, or another one made the match.
    async fn rejoin(
        &mut self,
        join: Join,
        row: &MatchRow,
        stream: mpsc::Sender<Frame>,
        now_ms: i64,
    ) -> Result<(), JoinError> {
        let is_resumed =
            row.seats_from(join.player_id).is_some_and(|(seat, _)| seat.request_id == join.request_id);
        if row.phase == Phase::Started && !is_resumed {
            return Err(JoinError::InAGame { game_id: row.game_id });
        }
        if row.city_id != join.queue.city_id || row.time_control != join.queue.time_control {
            return Err(JoinError::AlreadyQueued { city_id: row.city_id.clone() });
        }
        self.resume(join, row, stream, now_ms).await
    }

    /// Gives the player a ticket that stands where his match does, and tells him.
    async fn resume(
        &mut self,
        join: Join,
        row: &MatchRow,
        stream: mpsc::Sender<Frame>,
        now_ms: i64,
    ) -> Result<(), JoinError> {
        // The match may come to nothing yet, and then the ticket searches on: it needs the record as any other.
        let city = self.city(&join.queue)?;
        let record = self.record(&join, &city).await?;
        let queued_at_ms = row.seats_from(join.player_id).map_or(now_ms, |(seat, _)| seat.queued_at_ms);
        let player_id = join.player_id;
        let mut ticket = ticket(join, &city, record, queued_at_ms, now_ms);
        ticket.state = State::InMatch(row.match_id);
        if !matches!(row.phase, Phase::Started | Phase::Closed) {
            match self.parts.store.enter(Entering::Join, &ticket).await? {
                Entered::Known(known) => ticket = *known,
                Entered::Elsewhere(queue) => {
                    return Err(JoinError::AlreadyQueued { city_id: queue.city_id });
                }
                Entered::New | Entered::None | Entered::Ended(_) => {}
            }
        }
        let mut follower = Follower::new(ticket);
        follow(&mut follower, stream)?;
        self.followers.insert(follower);
        self.tell_the_new(player_id, now_ms).await;
        Ok(())
    }

    /// Read here and not before the join, so that it cannot be older than the look at the player's match: otherwise a game
    /// that ended in between would be missing, and with it the opponent whom he should not meet again at once (E11).
    async fn record(&self, join: &Join, city: &City) -> Result<PlayerRecord, JoinError> {
        let pool = join.queue.time_control.pool();
        let key = RecordKey {
            player_id: join.player_id,
            pool: &pool,
            currency: &city.settings.terms.currency,
            day: i32::try_from(day(now_ms())).expect("days since 1970 fit for millions of years"),
            starting_rating: STARTING_RATING,
        };
        Ok(players::record(&self.parts.pool, key).await?)
    }

    fn city(&self, queue: &QueueKey) -> Result<Arc<City>, JoinError> {
        let found = self.parts.cities.find(&queue.city_id);
        found.ok_or_else(|| JoinError::CityUnknown { city_id: queue.city_id.clone() })
    }
}

fn ticket(join: Join, city: &City, record: PlayerRecord, queued_at_ms: i64, now_ms: i64) -> Ticket {
    let today = day(now_ms);
    Ticket {
        ticket_id: Uuid::now_v7(),
        applicant: Applicant {
            player_id: join.player_id,
            name: join.name,
            request_id: join.request_id,
            rating: record.rating,
            color_balance: record.color_balance,
            last_game: record.last_opponent_id.zip(record.last_ended_at_ms),
        },
        queue: join.queue,
        terms: city.settings.terms.clone(),
        queued_at_ms,
        state: State::Searching,
        not_before_ms: 0,
        exhausted: record.exhausted.into_iter().map(|player_id| (player_id, today)).collect(),
    }
}

/// Says at once what the wallet would say later. The wallet decides: this only spares a player the wait for an opponent.
fn refuse_without_funds(record: &PlayerRecord, city: &City) -> Result<(), JoinError> {
    let terms = &city.settings.terms;
    match record.available {
        Some(available) if available < terms.stake_minor_units => Err(JoinError::InsufficientFunds {
            available,
            stake: terms.stake_minor_units,
            currency: terms.currency.clone(),
        }),
        _ => Ok(()),
    }
}

fn follow(follower: &mut Follower, stream: mpsc::Sender<Frame>) -> Result<(), JoinError> {
    match follower.follow(stream) {
        Followed::Yes => Ok(()),
        Followed::TooManyStreams => Err(JoinError::Overloaded),
    }
}
