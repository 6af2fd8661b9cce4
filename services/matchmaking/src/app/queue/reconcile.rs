//! Brings what is followed here in step with the shared store and the matches, and tells the streams.
//!
//! Whatever happened, the same is done: ask the store how the ticket stands, read its match if it is in one, and say what
//! has changed since the last look. So it does not matter which instance did what, nor whether a notice of it arrived.

use std::time::Duration;

use proto::matchmaking::v1::CancelReason;
use uuid::Uuid;

use super::now_ms;
use super::task::Task;
use crate::app::followers::Follower;
use crate::app::leader::Nudge;
use crate::app::match_process::Phase;
use crate::app::tickets::{Ended, Frame, Opponent, Side, State, Ticket};
use crate::store::matches::{self, MatchRow, Seat};
use crate::store::tickets::{
    Entered, Entering, Move, Reader, Search, Standing, TICKETS_A_CALL_MAX, Touched, Unknown,
};
use crate::telemetry;

/// A ticket that was claimed for a match which nobody has written after so long searches on: its leader has died in between.
/// Should the match be written later all the same, its players sit in it, and are put there at the next try to pair them.
const CLAIM_MS_MAX: i64 = 10_000;

impl Task {
    /// Looks at the tickets of those of the players who are followed here.
    pub(super) async fn reconcile(&mut self, players: &[Uuid]) {
        let followed: Vec<Uuid> =
            players.iter().copied().filter(|player_id| self.followers.get(*player_id).is_some()).collect();
        for players in followed.chunks(TICKETS_A_CALL_MAX) {
            let asked: Vec<(&Ticket, Reader)> = players
                .iter()
                .filter_map(|player_id| self.followers.get(*player_id))
                .map(|follower| (&follower.ticket, reader(follower)))
                .collect();
            let readers: Vec<Reader> = asked.iter().map(|(_, reader)| *reader).collect();
            match self.parts.store.touch(&asked).await {
                Ok(answers) => {
                    for ((player_id, reader), touched) in players.iter().zip(readers).zip(answers) {
                        if let Some(follower) = self.followers.get_mut(*player_id) {
                            follower.is_vouched_for = reader == Reader::Here;
                        }
                        self.take_in(*player_id, touched).await;
                    }
                }
                Err(error) => {
                    // Said once an outage by the leader; every ticket is looked at again in two seconds.
                    tracing::debug!(%error, "tickets could not be looked at");
                    return;
                }
            }
        }
    }

    async fn take_in(&mut self, player_id: Uuid, touched: Touched) {
        match touched {
            Touched::Here(standing) => self.stands(player_id, standing).await,
            Touched::Ended(ended) => self.ended(player_id, ended).await,
            // His streams here are cut off; joining again leads to the new ticket.
            Touched::Replaced => drop(self.followers.remove(player_id)),
            Touched::Lost => self.restore(player_id).await,
        }
    }

    async fn stands(&mut self, player_id: Uuid, standing: Standing) {
        let Some(follower) = self.followers.get_mut(player_id) else { return };
        let before = std::mem::replace(&mut follower.ticket.state, standing.state);
        follower.ticket.not_before_ms = standing.not_before_ms;
        follower.ticket.exhausted = standing.exhausted;
        if let State::InMatch(match_id) = before
            && before != standing.state
        {
            self.tell_failed(player_id, match_id).await;
        }
        match standing.state {
            State::Searching if before == State::Searching => {}
            State::Searching => self.searches_again(player_id),
            State::InMatch(match_id) => self.follow_match(player_id, match_id, standing.since_ms).await,
        }
    }

    /// Does what the phase of a ticket's match means for it. `since_ms` is for how long it has been in the match.
    pub(super) async fn follow_match(&mut self, player_id: Uuid, match_id: Uuid, since_ms: i64) {
        let row = match matches::find(&self.parts.pool, match_id).await {
            Ok(Some(row)) => row,
            Ok(None) if since_ms >= CLAIM_MS_MAX => return self.release(player_id, match_id).await,
            Ok(None) => return,
            Err(error) => return tracing::warn!(%match_id, %error, "match could not be read"),
        };
        match row.phase {
            Phase::Absent | Phase::Proposed | Phase::StakesRequested | Phase::Confirmed => {
                let Some((_, other)) = row.seats_from(player_id) else { return };
                let opponent = opponent(other);
                if let Some(follower) = self.followers.get_mut(player_id) {
                    follower.tell_securing(match_id, opponent);
                }
            }
            Phase::Started | Phase::Closed => {
                let (state, ended) = (State::InMatch(match_id), Ended::Matched(match_id));
                // Without an answer the ticket ends by itself: nobody follows it any more.
                let closing = self.parts.store.close(player_id, state, ended, Unknown::MayReturn).await;
                if let Err(error) = closing {
                    tracing::debug!(%player_id, %error, "a matched ticket could not be closed");
                }
                self.tell_matched(player_id, &row);
            }
            Phase::Cancelled => self.search_on(player_id, &row).await,
        }
    }

    /// A match came to nothing: whoever was the cause is out, the other searches on.
    async fn search_on(&mut self, player_id: Uuid, row: &MatchRow) {
        let Some((_, other)) = row.seats_from(player_id) else { return };
        let Some(follower) = self.followers.get_mut(player_id) else { return };
        let (from, reason) = (State::InMatch(row.match_id), reason_for(row, player_id));
        if row.cancelled_by == Some(player_id) {
            let ended = Ended::Closed(reason);
            if self.parts.store.close(player_id, from, ended, Unknown::StaysAway).await.is_ok() {
                self.ended(player_id, ended).await;
            }
            return;
        }
        // Whoever caused it is gone, so the other need not cool off for a purse that was not his.
        let cause = CancelReason::try_from(row.cancel_reason).unwrap_or(reason);
        let cause = if row.cancelled_by.is_some() { cause } else { reason };
        let mut ticket = follower.ticket.clone();
        ticket.search_again(cause, other.player_id, now_ms());
        let search = Search { not_before_ms: ticket.not_before_ms, exhausted: ticket.exhausted.clone() };
        let queue = &ticket.queue;
        let change = Move { player_id, queue, from, to: State::Searching, search: Some(search) };
        // When another instance was faster it did the same. Without an answer it is tried again at the next look.
        if self.parts.store.change(change).await.is_ok() {
            follower.ticket = ticket;
            self.tell_failed(player_id, row.match_id).await;
            self.searches_again(player_id);
        }
    }

    /// Takes a ticket out of a match that was never written.
    async fn release(&mut self, player_id: Uuid, match_id: Uuid) {
        let Some(follower) = self.followers.get_mut(player_id) else { return };
        let (from, queue) = (State::InMatch(match_id), &follower.ticket.queue);
        let change = Move { player_id, queue, from, to: State::Searching, search: None };
        if self.parts.store.change(change).await.is_ok() {
            follower.ticket.state = State::Searching;
            self.searches_again(player_id);
        }
    }

    fn searches_again(&mut self, player_id: Uuid) {
        if let Some(follower) = self.followers.get_mut(player_id) {
            follower.tell_searching(now_ms());
            self.parts.nudges.send(Nudge::FromHere(follower.ticket.queue.clone()));
        }
    }

    /// Says how a ticket ended, and lets it go.
    pub(super) async fn ended(&mut self, player_id: Uuid, ended: Ended) {
        let Some(follower) = self.followers.get(player_id) else { return };
        match (ended, follower.ticket.state) {
            (Ended::Matched(match_id), _) => {
                if let Ok(Some(row)) = matches::find(&self.parts.pool, match_id).await {
                    self.tell_matched(player_id, &row);
                }
            }
            (Ended::Closed(reason), state) => {
                if let State::InMatch(match_id) = state {
                    self.tell_failed(player_id, match_id).await;
                }
                if let Some(follower) = self.followers.get_mut(player_id) {
                    follower.send(&Frame::TicketClosed { reason });
                }
            }
        }
        self.followers.remove(player_id);
    }

    /// The store has lost the ticket: it is put back as it stands, unless it has led to something meanwhile (H09).
    async fn restore(&mut self, player_id: Uuid) {
        let Some(follower) = self.followers.get(player_id) else { return };
        let mut ticket = follower.ticket.clone();
        let found = match matches::of_player(&self.parts.pool, player_id).await {
            Ok(None) => matches::of_request(&self.parts.pool, player_id, ticket.applicant.request_id).await,
            other => other,
        };
        let row = match found {
            Ok(row) => row,
            Err(error) => return tracing::warn!(%player_id, %error, "a player's match could not be read"),
        };
        let before = ticket.state;
        ticket.state = row.map_or(State::Searching, |row| State::InMatch(row.match_id));
        match self.parts.store.enter(Entering::Restore, &ticket).await {
            Ok(Entered::New) => {}
            Ok(Entered::Known(known)) if known.ticket_id == ticket.ticket_id => ticket.state = known.state,
            Ok(Entered::Known(_) | Entered::Elsewhere(_)) => return drop(self.followers.remove(player_id)),
            Ok(Entered::Ended(ended)) => return self.ended(player_id, ended).await,
            Ok(Entered::None) => return,
            Err(error) => return tracing::debug!(%player_id, %error, "a ticket could not be put back"),
        }
        let Some(follower) = self.followers.get_mut(player_id) else { return };
        // The store now believes that somebody follows it; the next sweep corrects it if not.
        follower.is_vouched_for = true;
        follower.ticket.state = before;
        let (not_before_ms, exhausted) = (ticket.not_before_ms, ticket.exhausted);
        let standing = Standing { state: ticket.state, since_ms: 0, not_before_ms, exhausted };
        self.stands(player_id, standing).await;
        if let Some(follower) = self.followers.get(player_id) {
            self.parts.nudges.send(Nudge::FromHere(follower.ticket.queue.clone()));
        }
    }

    /// Says that a match came to nothing, if it did.
    async fn tell_failed(&mut self, player_id: Uuid, match_id: Uuid) {
        let Ok(Some(row)) = matches::find(&self.parts.pool, match_id).await else { return };
        let Some((_, other)) = row.seats_from(player_id) else { return };
        if let (Phase::Cancelled, Some(follower)) = (row.phase, self.followers.get_mut(player_id)) {
            let (reason, opponent) = (reason_for(&row, player_id), opponent(other));
            follower.send(&Frame::MatchFailed { match_id, reason, opponent });
        }
    }

    /// Says that the game exists, and lets the ticket go.
    fn tell_matched(&mut self, player_id: Uuid, row: &MatchRow) {
        let Some((_, other)) = row.seats_from(player_id) else { return };
        let Some(mut follower) = self.followers.remove(player_id) else { return };
        let waited_ms = follower.ticket.waited_ms(now_ms()).unsigned_abs();
        metrics::histogram!(telemetry::WAIT_SECONDS).record(Duration::from_millis(waited_ms).as_secs_f64());
        let side = if row.white.player_id == player_id { Side::White } else { Side::Black };
        let (match_id, game_id, opponent) = (row.match_id, row.game_id, opponent(other));
        follower.send(&Frame::Matched { match_id, game_id, side, opponent });
    }
}

fn reader(follower: &Follower) -> Reader {
    if follower.is_watched() { Reader::Here } else { Reader::Gone }
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
