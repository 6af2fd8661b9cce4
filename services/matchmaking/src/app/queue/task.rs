//! The task behind the queue's handle.

use std::sync::Arc;
use std::time::Duration;

use event_store::CommitSignal;
use proto::matchmaking::v1::CancelReason;
use sqlx::PgPool;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Command, Join, JoinError, Leaving, now_ms};
use crate::app::cities::{Cities, City};
use crate::app::match_process::Phase;
use crate::app::propose::{self, Proposal, ProposeError};
use crate::app::tickets::{
    Applicant, FRAMES_PER_STREAM_MAX, Followed, Frame, Opponent, QueueKey, Side, State, Ticket, Tickets, day,
    rounded,
};
use crate::store::matches::{self, MatchRow, Seat};
use crate::store::players::{self, PlayerRecord, RecordKey};
use crate::telemetry;

/// How often windows are widened, tickets swept and pairs looked for, besides at every join.
const PAIR_EVERY: Duration = Duration::from_millis(250);

/// Every so many passes the matches of all tickets are read again, in case a notice was lost.
const RELOOK_EVERY_PASSES: u64 = 8;

/// The rating of a player who has not played in a pool (rating service, Glicko-2).
const STARTING_RATING: f64 = 1500.0;

/// Owns all tickets.
pub(super) struct Task {
    pool: PgPool,
    cities: Arc<Cities>,
    signal: CommitSignal,
    tickets: Tickets,
    changed: watch::Sender<u64>,
    passes: u64,
}

impl Task {
    pub(super) fn new(
        pool: PgPool,
        cities: Arc<Cities>,
        signal: CommitSignal,
        changed: watch::Sender<u64>,
    ) -> Self {
        Self { pool, cities, signal, tickets: Tickets::default(), changed, passes: 0 }
    }

    pub(super) async fn run(mut self, mut commands: mpsc::Receiver<Command>, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(PAIR_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                command = commands.recv() => match command {
                    Some(command) => self.handle(command).await,
                    None => return,
                },
                _ = ticks.tick() => self.pass().await,
            }
        }
    }

    async fn handle(&mut self, command: Command) {
        match command {
            Command::Join { join, reply } => {
                let answer = self.join(join).await;
                let _ = reply.send(answer);
                self.pair().await;
            }
            Command::Leave { player_id, reply } => {
                let _ = reply.send(self.leave(player_id));
            }
            Command::MatchChanged { match_id } => {
                self.look_at(match_id).await;
                self.changed.send_modify(|count| *count += 1);
                self.pair().await;
            }
            Command::Waiting { reply } => {
                let _ = reply.send(self.tickets.waiting());
            }
        }
    }

    async fn pass(&mut self) {
        self.passes += 1;
        self.tickets.sweep(now_ms());
        if self.passes.is_multiple_of(RELOOK_EVERY_PASSES) {
            for match_id in self.tickets.matches() {
                self.look_at(match_id).await;
            }
            self.measure();
        }
        self.pair().await;
    }

    fn measure(&self) {
        let waiting = self.tickets.waiting();
        for city in self.cities.iter() {
            let count = waiting.get(city.id).copied().unwrap_or(0);
            metrics::gauge!(telemetry::WAITING, "city" => city.id).set(f64::from(count));
        }
    }

    async fn join(&mut self, join: Join) -> Result<mpsc::Receiver<Frame>, JoinError> {
        let (stream, frames) = mpsc::channel(FRAMES_PER_STREAM_MAX);
        let now_ms = now_ms();
        if let Some(ticket) = self.tickets.get_mut(join.player_id) {
            if ticket.queue != join.queue {
                return Err(JoinError::AlreadyQueued { city_id: ticket.queue.city_id.clone() });
            }
            follow(ticket, stream)?;
            match ticket.state {
                State::Searching => ticket.tell_searching(now_ms),
                State::InMatch(match_id) => self.look_at(match_id).await,
            }
            return Ok(frames);
        }
        if let Some(row) = matches::of_player(&self.pool, join.player_id).await? {
            self.rejoin(join, &row, stream, now_ms).await?;
        } else if let Some(row) = matches::of_request(&self.pool, join.player_id, join.request_id).await? {
            // The same request again, and its game is over already: it must not cost a second stake.
            self.resume(join, &row, stream, now_ms).await?;
        } else {
            let city = self.city(&join.queue);
            let record = self.record(&join, city).await?;
            refuse_without_funds(&record, city)?;
            let mut ticket = Ticket::new(applicant(&join, record), join.queue, now_ms, now_ms);
            follow(&mut ticket, stream)?;
            self.tickets.insert(ticket).tell_searching(now_ms);
        }
        Ok(frames)
    }

    /// The player has no ticket here but sits in a match: this task was restarted, or the match is another instance's.
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
        let record = self.record(&join, self.city(&join.queue)).await?;
        let queued_at_ms = row.seats_from(join.player_id).map_or(now_ms, |(seat, _)| seat.queued_at_ms);
        let player_id = join.player_id;
        let mut ticket = Ticket::new(applicant(&join, record), join.queue, queued_at_ms, now_ms);
        ticket.state = State::InMatch(row.match_id);
        follow(&mut ticket, stream)?;
        self.tickets.insert(ticket);
        self.tell(row, player_id, now_ms);
        Ok(())
    }

    /// Read here and not before the join, so that it cannot be older than the look at the player's match: otherwise a game
    /// that ended in between would be missing, and with it the opponent whom he should not meet again at once (E11).
    async fn record(&self, join: &Join, city: &City) -> Result<PlayerRecord, JoinError> {
        let pool = join.queue.time_control.pool();
        let key = RecordKey {
            player_id: join.player_id,
            pool: &pool,
            currency: city.currency,
            day: i32::try_from(day(now_ms())).expect("days since 1970 fit for millions of years"),
            starting_rating: STARTING_RATING,
        };
        Ok(players::record(&self.pool, key).await?)
    }

    fn city(&self, queue: &QueueKey) -> &City {
        self.cities.find(&queue.city_id).expect("the edge takes the city of a queue from the same list")
    }

    fn leave(&mut self, player_id: Uuid) -> Leaving {
        let Some(ticket) = self.tickets.get_mut(player_id) else {
            return Leaving::NoTicket;
        };
        if let State::InMatch(match_id) = ticket.state {
            return Leaving::InMatch(match_id);
        }
        ticket.send(&Frame::TicketClosed { reason: CancelReason::PlayerLeft });
        self.tickets.remove(player_id);
        Leaving::Left
    }

    /// Reads a match and does what its phase means for the tickets in it.
    async fn look_at(&mut self, match_id: Uuid) {
        match matches::find(&self.pool, match_id).await {
            Ok(Some(row)) => {
                let now_ms = now_ms();
                for player_id in [row.white.player_id, row.black.player_id] {
                    self.tell(&row, player_id, now_ms);
                }
            }
            // A proposal that was never written: its tickets search on.
            Ok(None) => self.tickets.release(match_id, now_ms()),
            Err(error) => tracing::warn!(%match_id, %error, "match could not be read"),
        }
    }

    fn tell(&mut self, row: &MatchRow, player_id: Uuid, now_ms: i64) {
        let Some((_, other)) = row.seats_from(player_id) else { return };
        let opponent = opponent(other);
        let Some(ticket) = self.tickets.get_mut(player_id) else { return };
        if ticket.state != State::InMatch(row.match_id) {
            return;
        }
        let match_id = row.match_id;
        match row.phase {
            Phase::Absent | Phase::Proposed | Phase::StakesRequested | Phase::Confirmed => {
                ticket.tell_securing(match_id, opponent);
            }
            Phase::Started | Phase::Closed => {
                let side = if row.white.player_id == player_id { Side::White } else { Side::Black };
                let waited = Duration::from_millis((now_ms - ticket.queued_at_ms).max(0).unsigned_abs());
                metrics::histogram!(telemetry::WAIT_SECONDS).record(waited.as_secs_f64());
                ticket.send(&Frame::Matched { match_id, game_id: row.game_id, side, opponent });
                self.tickets.remove(player_id);
            }
            Phase::Cancelled => {
                let reason = reason_for(row, player_id);
                ticket.send(&Frame::MatchFailed { match_id, reason, opponent });
                if row.cancelled_by == Some(player_id) {
                    ticket.send(&Frame::TicketClosed { reason });
                    self.tickets.remove(player_id);
                } else {
                    // Whoever caused it is gone, so the other need not cool off for a purse that was not his.
                    let cause = CancelReason::try_from(row.cancel_reason).unwrap_or(reason);
                    let cause = if row.cancelled_by.is_some() { cause } else { reason };
                    ticket.search_again(cause, other.player_id, now_ms);
                }
            }
        }
    }

    async fn pair(&mut self) {
        let now_ms = now_ms();
        for (white_id, black_id) in self.tickets.pairs(now_ms, now_ms.unsigned_abs()) {
            if let Some(row) = self.seat(white_id, black_id) {
                self.propose(row, now_ms).await;
            }
        }
    }

    fn seat(&mut self, white_id: Uuid, black_id: Uuid) -> Option<MatchRow> {
        let (match_id, game_id) = propose::new_ids();
        let queue = self.tickets.get_mut(white_id)?.queue.clone();
        let white = seat(self.tickets.get_mut(white_id)?);
        let black = seat(self.tickets.get_mut(black_id)?);
        for player_id in [white_id, black_id] {
            self.tickets.get_mut(player_id)?.state = State::InMatch(match_id);
        }
        Some(MatchRow {
            match_id,
            game_id,
            city_id: queue.city_id,
            time_control: queue.time_control,
            white,
            black,
            phase: Phase::Proposed,
            cancel_reason: 0,
            cancelled_by: None,
        })
    }

    async fn propose(&mut self, row: MatchRow, now_ms: i64) {
        let Some(city) = self.cities.find(&row.city_id) else { return };
        let proposal = Proposal { row, proposed_at_ms: now_ms };
        let outcome = propose::propose(&self.pool, city, &proposal).await;
        let row = proposal.row;
        match outcome {
            Ok(()) => {
                self.signal.committed();
                self.tell(&row, row.white.player_id, now_ms);
                self.tell(&row, row.black.player_id, now_ms);
            }
            Err(ProposeError::PlayerBusy) => {
                self.look_for(row.white.player_id, row.match_id).await;
                self.look_for(row.black.player_id, row.match_id).await;
                self.tickets.release(row.match_id, now_ms);
            }
            Err(error) => {
                tracing::warn!(match_id = %row.match_id, %error, "match could not be proposed");
                // Whether it was written after all is read from the projection.
                self.look_at(row.match_id).await;
            }
        }
    }

    /// Puts a ticket whose proposal was refused into the match in which its player sits instead, if he does.
    async fn look_for(&mut self, player_id: Uuid, proposed_id: Uuid) {
        match matches::of_player(&self.pool, player_id).await {
            Ok(Some(row)) => {
                let Some(ticket) = self.tickets.get_mut(player_id) else { return };
                if ticket.state == State::InMatch(proposed_id) {
                    ticket.state = State::InMatch(row.match_id);
                    self.tell(&row, player_id, now_ms());
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%player_id, %error, "a player's match could not be read"),
        }
    }
}

fn applicant(join: &Join, record: PlayerRecord) -> Applicant {
    Applicant {
        player_id: join.player_id,
        name: join.name.clone(),
        request_id: join.request_id,
        rating: record.rating,
        color_balance: record.color_balance,
        last_game: record.last_opponent_id.zip(record.last_ended_at_ms),
        exhausted: record.exhausted.into_iter().collect(),
    }
}

/// Says at once what the wallet would say later. The wallet decides: this only spares a player the wait for an opponent.
fn refuse_without_funds(record: &PlayerRecord, city: &City) -> Result<(), JoinError> {
    match record.available {
        Some(available) if available < city.stake_minor_units => Err(JoinError::InsufficientFunds {
            available,
            stake: city.stake_minor_units,
            currency: city.currency,
        }),
        _ => Ok(()),
    }
}

fn follow(ticket: &mut Ticket, stream: mpsc::Sender<Frame>) -> Result<(), JoinError> {
    match ticket.follow(stream) {
        Followed::Yes => Ok(()),
        Followed::TooManyStreams => Err(JoinError::Overloaded),
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

fn opponent(seat: &Seat) -> Opponent {
    Opponent { player_id: seat.player_id, name: seat.name.clone(), rating: seat.rating }
}

/// Why the match failed, as far as it is this player's business: the opponent's purse is not.
fn reason_for(row: &MatchRow, player_id: Uuid) -> CancelReason {
    let reason = CancelReason::try_from(row.cancel_reason).unwrap_or(CancelReason::Unspecified);
    match reason {
        CancelReason::InsufficientFunds if row.cancelled_by != Some(player_id) => CancelReason::StakesRefused,
        other => other,
    }
}
