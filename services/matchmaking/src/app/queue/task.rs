//! The task behind the queue's handle.

use std::collections::HashMap;
use std::time::Duration;

use proto::matchmaking::v1::CancelReason;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Command, Leaving, Parts, now_ms, queues};
use crate::app::followers::Followers;
use crate::app::match_process::Phase;
use crate::app::notices::Notice;
use crate::app::tickets::{Ended, QueueKey, State};
use crate::store::bars::{self, KeptOut};
use crate::store::matches::{self, MatchRow};
use crate::store::tickets::{Closing, Reader, Touched, Unknown};
use crate::telemetry;

/// How often readers are looked after: who is told what, and who has gone.
const SWEEP_EVERY: Duration = Duration::from_millis(250);

/// Every so many sweeps the store is asked how all tickets stand, in case a notice was lost, or the store.
const LOOK_EVERY_SWEEPS: u64 = 8;

/// Owns the tickets that are followed here.
pub(super) struct Task {
    pub(super) parts: Parts,
    pub(super) followers: Followers,
    pub(super) changed: watch::Sender<u64>,
    estimates: HashMap<QueueKey, Option<i64>>,
    sweeps: u64,
}

impl Task {
    pub(super) fn new(parts: Parts, changed: watch::Sender<u64>) -> Self {
        Self { parts, followers: Followers::default(), changed, estimates: HashMap::new(), sweeps: 0 }
    }

    pub(super) async fn run(mut self, mut commands: mpsc::Receiver<Command>, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(SWEEP_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                command = commands.recv() => match command {
                    Some(command) => self.handle(command).await,
                    None => return,
                },
                _ = ticks.tick() => self.sweep().await,
            }
        }
    }

    async fn handle(&mut self, command: Command) {
        match command {
            Command::Join { join, reply } => {
                let answer = self.join(join).await;
                let _ = reply.send(answer);
            }
            Command::Leave { player_id, reply } => {
                let answer = self.leave(player_id).await;
                let _ = reply.send(answer);
            }
            Command::MatchChanged { match_id } => {
                self.match_changed(match_id).await;
                self.changed.send_modify(|count| *count += 1);
            }
            Command::Heard(Notice::Match { players, .. }) => {
                self.reconcile(&players).await;
                self.changed.send_modify(|count| *count += 1);
            }
            Command::Heard(Notice::Ticket { player_id }) => self.reconcile(&[player_id]).await,
            Command::Heard(Notice::Queue(_) | Notice::Cities) => {}
        }
    }

    async fn match_changed(&mut self, match_id: Uuid) {
        match matches::find(&self.parts.pool, match_id).await {
            Ok(Some(row)) => {
                let players = [row.white.player_id, row.black.player_id];
                self.parts.notices.send(Notice::Match { match_id, players });
                self.reconcile(&players).await;
            }
            // Never written: its tickets search on when their claim is old enough.
            Ok(None) => {}
            Err(error) => tracing::warn!(%match_id, %error, "match could not be read"),
        }
    }

    async fn sweep(&mut self) {
        self.sweeps += 1;
        let abandoned = self.followers.sweep(now_ms());
        if self.sweeps.is_multiple_of(LOOK_EVERY_SWEEPS) {
            let all = self.followers.players();
            self.reconcile(&all).await;
            self.turn_away().await;
            self.estimate().await;
            self.measure().await;
        } else {
            self.reconcile(&abandoned).await;
        }
    }

    /// Closes the tickets of those who may not wait here any longer.
    async fn turn_away(&mut self) {
        let now_ms = now_ms();
        let mut turned_away: Vec<(Uuid, CancelReason)> = self.kept_out().await;
        for follower in self.followers.iter_mut() {
            let ticket = &follower.ticket;
            let city = self.parts.cities.find(&ticket.queue.city_id);
            let clock = ticket.queue.time_control;
            let reason = city.and_then(|city| city.turns_away(&ticket.terms, clock, now_ms));
            if let (State::Searching, Some(reason)) = (ticket.state, reason) {
                turned_away.push((ticket.applicant.player_id, reason));
            }
        }
        for (player_id, reason) in turned_away {
            // What the store answers is told by the next look, which finds how the ticket ended.
            let ended = Ended::Closed(reason);
            let store = &self.parts.store;
            if let Err(error) = store.close(player_id, State::Searching, ended, Unknown::MayReturn).await {
                tracing::warn!(%player_id, %error, "a ticket could not be closed");
            }
            self.reconcile(&[player_id]).await;
            self.parts.notices.send(Notice::Ticket { player_id });
        }
    }

    /// Those who search here and may not play any more.
    async fn kept_out(&self) -> Vec<(Uuid, CancelReason)> {
        let searching: Vec<Uuid> =
            self.followers.players().into_iter().filter(|id| self.is_searching(*id)).collect();
        if searching.is_empty() {
            return Vec::new();
        }
        match bars::kept_out(&self.parts.pool, &searching).await {
            Ok(kept_out) => kept_out
                .into_iter()
                .map(|(player_id, by)| match by {
                    KeptOut::Barred => (player_id, CancelReason::Barred),
                    KeptOut::Excluded => (player_id, CancelReason::Excluded),
                })
                .collect(),
            Err(error) => {
                tracing::warn!(%error, "who is kept out could not be read");
                Vec::new()
            }
        }
    }

    fn is_searching(&self, player_id: Uuid) -> bool {
        self.followers.get(player_id).is_some_and(|follower| follower.ticket.state == State::Searching)
    }

    /// Reads again how long others have waited in the queues that are followed here.
    async fn estimate(&mut self) {
        self.estimates.clear();
        let mut queues: Vec<QueueKey> =
            self.followers.iter_mut().map(|follower| follower.ticket.queue.clone()).collect();
        queues.sort_unstable();
        queues.dedup();
        for queue in queues {
            self.estimated_wait_ms(&queue).await;
        }
        for follower in self.followers.iter_mut() {
            follower.estimated_wait_ms = self.estimates.get(&follower.ticket.queue).copied().flatten();
        }
    }

    pub(super) async fn estimated_wait_ms(&mut self, queue: &QueueKey) -> Option<i64> {
        if let Some(known) = self.estimates.get(queue) {
            return *known;
        }
        // It is a courtesy: without an answer there is none.
        let recent = self.parts.store.recent_waits_ms(queue, now_ms()).await.ok()?;
        let estimate = domain_pairing::estimated_wait_ms(&recent);
        self.estimates.insert(queue.clone(), estimate);
        estimate
    }

    async fn measure(&self) {
        let Ok(waiting) = self.parts.store.waiting(&queues(&self.parts.cities)).await else { return };
        for city in self.parts.cities.all().iter() {
            let count = waiting.get(&city.id).copied().unwrap_or(0);
            metrics::gauge!(telemetry::WAITING, "city" => city.id.clone()).set(f64::from(count));
        }
    }

    async fn leave(&mut self, player_id: Uuid) -> Leaving {
        let ended = Ended::Closed(CancelReason::PlayerLeft);
        let store = self.parts.store.clone();
        let closing = store.close(player_id, State::Searching, ended, Unknown::StaysAway).await;
        let closing = match closing {
            // Nobody has taken the ticket out of a match that came to nothing: it is not to search on behind his back (MATCH-8).
            Ok(Closing::In(State::InMatch(match_id))) if self.is_cancelled(match_id).await => {
                store.close(player_id, State::InMatch(match_id), ended, Unknown::StaysAway).await
            }
            other => other,
        };
        match closing {
            Ok(Closing::Closed) => {
                self.ended(player_id, ended).await;
                self.parts.notices.send(Notice::Ticket { player_id });
                Leaving::Left
            }
            Ok(Closing::In(State::InMatch(match_id))) => Leaving::InMatch(match_id),
            // It changes faster than it can be looked at.
            Ok(Closing::In(State::Searching)) => Leaving::Unavailable,
            Ok(Closing::None) => self.leave_unknown(player_id).await,
            Err(error) => {
                tracing::warn!(%player_id, %error, "a ticket could not be taken out");
                Leaving::Unavailable
            }
        }
    }

    /// The store has no ticket of the player. If one is followed here it was ended a moment ago, or the store has lost it; then it
    /// stays away from now on, here and at the other instances.
    async fn leave_unknown(&mut self, player_id: Uuid) -> Leaving {
        let Some(follower) = self.followers.get(player_id) else { return Leaving::NoTicket };
        let state = follower.ticket.state;
        let touched = self.parts.store.touch(&[(&follower.ticket, Reader::Gone)]).await;
        match (touched.as_deref(), state) {
            (Ok([Touched::Lost]), State::Searching) => {
                self.ended(player_id, Ended::Closed(CancelReason::PlayerLeft)).await;
                self.parts.notices.send(Notice::Ticket { player_id });
                Leaving::Left
            }
            (Ok([Touched::Lost]), State::InMatch(match_id)) => Leaving::InMatch(match_id),
            (Ok(_), _) => {
                self.reconcile(&[player_id]).await;
                Leaving::NoTicket
            }
            (Err(_), _) => Leaving::Unavailable,
        }
    }

    async fn is_cancelled(&self, match_id: Uuid) -> bool {
        let row = matches::find(&self.parts.pool, match_id).await;
        matches!(row, Ok(Some(MatchRow { phase: Phase::Cancelled, .. })))
    }
}
