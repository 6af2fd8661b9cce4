//! One pass over a queue.

use std::collections::BTreeSet;
use std::iter::Peekable;

use crate::color::with_colors;
use crate::reach::{Below, Place, Reach};
use crate::veto::{Rematch, rematch, veto};
use crate::window::{WIDENING_UNTIL_MS, window};
use crate::{PlayerId, Ticket};

/// The most neighbours a pass looks at and passes over, for a veto or a rematch. When they are used up, the search of each
/// further ticket ends at its first such neighbour and the ticket waits for the next pass, so that long lists of blocked
/// players cost the queue a bounded time. Whoever has waited longest is served before that happens.
pub const PASSED_OVER_MAX: u32 = 200_000;

/// What a pass needs beside the tickets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// The time of the pass, in Unix milliseconds.
    pub now_ms: i64,
    /// A random number of the caller's, which decides colours between equals.
    pub coin: u64,
    /// Players who may not play at all: they keep their ticket and meet nobody.
    pub excluded: BTreeSet<PlayerId>,
}

/// Two players who meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// Who plays White.
    pub white: PlayerId,
    /// Who plays Black.
    pub black: PlayerId,
}

/// Pairs the tickets of one queue: longest wait first, each with the nearest rating that both windows and all vetoes allow.
/// An immediate rematch is held back for [`REMATCH_HOLD_MS`](crate::REMATCH_HOLD_MS), and afterwards is the last choice. The pairs come
/// in the order they were made.
#[must_use]
pub fn pair(tickets: &[Ticket], round: &Round) -> Vec<Pairing> {
    let mut queue = Queue::new(tickets, round);
    let mut pairings = Vec::with_capacity(queue.tickets.len() / 2);
    for next in 0..queue.tickets.len() {
        if queue.is_taken[next] {
            continue;
        }
        queue.take(next);
        if let Some(opponent) = queue.opponent_of(next) {
            queue.take(opponent);
            let (a, b) = (queue.tickets[next], queue.tickets[opponent]);
            pairings.push(with_colors(a, b, round.coin));
        }
    }
    pairings
}

/// Who is left after a pass although his window is as wide as it gets: nobody he may meet is in his reach, and waiting
/// longer changes nothing until somebody else comes. The caller tells them so (case E09).
#[must_use]
pub fn without_opponent(tickets: &[Ticket], pairings: &[Pairing], round: &Round) -> Vec<PlayerId> {
    let paired: BTreeSet<PlayerId> =
        pairings.iter().flat_map(|pairing| [pairing.white, pairing.black]).collect();
    let alone: BTreeSet<PlayerId> = tickets
        .iter()
        .filter(|ticket| ticket.waited_ms(round.now_ms) >= WIDENING_UNTIL_MS)
        .map(|ticket| ticket.player)
        .filter(|player| !paired.contains(player) && !round.excluded.contains(player))
        .collect();
    alone.into_iter().collect()
}

/// The tickets that are still to be paired, longest wait first.
struct Queue<'a> {
    now_ms: i64,
    tickets: Vec<&'a Ticket>,
    is_taken: Vec<bool>,
    below: Reach,
    above: Reach,
    passed_over_left: u32,
}

impl<'a> Queue<'a> {
    fn new(tickets: &'a [Ticket], round: &Round) -> Self {
        let tickets = longest_wait_first(tickets, round);
        // A ticket's number is its place in the order of service; among equal ratings the smaller number is found first.
        let places = |mirror: i64| -> Vec<Place> {
            tickets
                .iter()
                .enumerate()
                .map(|(number, ticket)| Place {
                    coordinate: mirror * i64::from(ticket.rating),
                    window: i64::from(window(ticket.waited_ms(round.now_ms))),
                    precedence: tickets.len() - number,
                })
                .collect()
        };
        Self {
            now_ms: round.now_ms,
            is_taken: vec![false; tickets.len()],
            below: Reach::new(&places(1)),
            above: Reach::new(&places(-1)),
            tickets,
            passed_over_left: PASSED_OVER_MAX,
        }
    }

    fn take(&mut self, number: usize) {
        self.is_taken[number] = true;
        self.below.remove(number);
        self.above.remove(number);
    }

    fn opponent_of(&mut self, number: usize) -> Option<usize> {
        let ticket = self.tickets[number];
        let neighbours = Neighbours {
            below: self.below.below(number).peekable(),
            above: self.above.below(number).peekable(),
        };
        let mut second_choice = None;
        for other in neighbours {
            let candidate = self.tickets[other];
            if veto(ticket, candidate).is_none() {
                match rematch(ticket, candidate, self.now_ms) {
                    Rematch::No => return Some(other),
                    Rematch::Allowed => second_choice = second_choice.or(Some(other)),
                    Rematch::Held => {}
                }
            }
            let Some(left) = self.passed_over_left.checked_sub(1) else {
                break;
            };
            self.passed_over_left = left;
        }
        second_choice
    }
}

fn longest_wait_first<'a>(tickets: &'a [Ticket], round: &Round) -> Vec<&'a Ticket> {
    let mut tickets: Vec<&Ticket> =
        tickets.iter().filter(|ticket| !round.excluded.contains(&ticket.player)).collect();
    tickets.sort_unstable_by_key(|ticket| (ticket.player, ticket.queued_at_ms, ticket.rating));
    tickets.dedup_by_key(|ticket| ticket.player);
    tickets.sort_unstable_by_key(|ticket| (ticket.queued_at_ms, ticket.player));
    tickets
}

/// The tickets whose window reaches a given one, nearest rating first, then longest wait. One at the very same rating is
/// found from both sides and comes once.
struct Neighbours<'a> {
    below: Peekable<Below<'a>>,
    above: Peekable<Below<'a>>,
}

impl Iterator for Neighbours<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let nearest = match (self.below.peek(), self.above.peek()) {
            (Some(below), Some(above)) => *below.min(above),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => return None,
        };
        self.below.next_if_eq(&nearest);
        self.above.next_if_eq(&nearest);
        Some(nearest.ticket)
    }
}
