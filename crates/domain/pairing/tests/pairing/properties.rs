//! What holds for every queue, compared with the plain statement of the rules.

use std::collections::{BTreeMap, BTreeSet};

use domain_pairing::{
    Encounter, Pairing, PlayerId, REMATCH_HOLD_MS, Round, Ticket, pair, veto, window, without_opponent,
};
use proptest::prelude::*;

use crate::{NOW_MS, player};

/// Few players within a narrow range of ratings, so that tickets meet, collide and veto each other.
fn a_ticket() -> impl Strategy<Value = Ticket> {
    let players = || prop::collection::btree_set((0..40_u128).prop_map(player), 0..6);
    (
        (0..40_u128, 1300..1900_i32, -2_000..60_000_i64, -3..=3_i32),
        prop::option::of((0..40_u128, 0..30_000_i64)),
        players(),
        players(),
    )
        .prop_map(|(who, last, blocked, exhausted)| {
            let (number, rating, waited_ms, color_balance) = who;
            Ticket {
                color_balance,
                last_encounter: last.map(|(opponent, ago_ms)| Encounter {
                    opponent: player(opponent),
                    ended_at_ms: NOW_MS - ago_ms,
                }),
                blocked,
                exhausted,
                ..Ticket::new(player(number), rating, NOW_MS - waited_ms)
            }
        })
}

fn a_queue() -> impl Strategy<Value = Vec<Ticket>> {
    prop::collection::vec(a_ticket(), 0..60)
}

fn a_round() -> impl Strategy<Value = Round> {
    let excluded = prop::collection::btree_set((0..40_u128).prop_map(player), 0..4);
    (any::<u64>(), excluded).prop_map(|(coin, excluded)| Round { now_ms: NOW_MS, coin, excluded })
}

/// The ticket that counts for each player who may play.
fn counting<'a>(tickets: &'a [Ticket], round: &Round) -> BTreeMap<PlayerId, &'a Ticket> {
    let mut counting: BTreeMap<PlayerId, &Ticket> = BTreeMap::new();
    for ticket in tickets {
        let kept = counting.entry(ticket.player).or_insert(ticket);
        if (ticket.queued_at_ms, ticket.rating) < (kept.queued_at_ms, kept.rating) {
            *kept = ticket;
        }
    }
    counting.retain(|player, _| !round.excluded.contains(player));
    counting
}

fn are_in_range(a: &Ticket, b: &Ticket) -> bool {
    let difference = (a.rating - b.rating).abs();
    difference <= window(a.waited_ms(NOW_MS)) && difference <= window(b.waited_ms(NOW_MS))
}

fn is_rematch(a: &Ticket, b: &Ticket) -> bool {
    let met = |ticket: &Ticket, other: &Ticket| {
        ticket.last_encounter.is_some_and(|game| game.opponent == other.player)
    };
    met(a, b) || met(b, a)
}

fn is_held(a: &Ticket, b: &Ticket) -> bool {
    let both_waited_ms = NOW_MS - a.queued_at_ms.max(b.queued_at_ms);
    is_rematch(a, b) && both_waited_ms < REMATCH_HOLD_MS
}

fn may_meet(a: &Ticket, b: &Ticket) -> bool {
    are_in_range(a, b) && veto(a, b).is_none() && !is_held(a, b)
}

/// The rules as they are said, one ticket after another and one candidate after another, without any structure.
fn said_plainly(tickets: &[Ticket], round: &Round) -> Vec<(PlayerId, PlayerId)> {
    let counting = counting(tickets, round);
    let mut waiting: Vec<&Ticket> = counting.into_values().collect();
    waiting.sort_by_key(|ticket| (ticket.queued_at_ms, ticket.player));
    let mut meetings = Vec::new();
    while !waiting.is_empty() {
        let next = waiting.remove(0);
        let best = waiting
            .iter()
            .enumerate()
            .filter(|(_, other)| may_meet(next, other))
            .min_by_key(|(at, other)| {
                let distance = (next.rating - other.rating).abs();
                (is_rematch(next, other), distance, *at)
            })
            .map(|(at, _)| at);
        if let Some(at) = best {
            let other = waiting.remove(at);
            meetings.push((next.player.min(other.player), next.player.max(other.player)));
        }
    }
    meetings
}

proptest! {
    /// PAIRING-1
    #[test]
    fn nobody_is_paired_twice_or_with_himself(tickets in a_queue(), round in a_round()) {
        let mut met = BTreeSet::new();
        for Pairing { white, black } in pair(&tickets, &round) {
            prop_assert!(met.insert(white), "{white:?} twice");
            prop_assert!(met.insert(black), "{black:?} twice");
            prop_assert!(!round.excluded.contains(&white) && !round.excluded.contains(&black));
        }
    }

    /// PAIRING-2, PAIRING-3
    #[test]
    fn every_pair_is_in_both_windows_and_against_no_veto(tickets in a_queue(), round in a_round()) {
        let counting = counting(&tickets, &round);
        for Pairing { white, black } in pair(&tickets, &round) {
            let (white, black) = (counting[&white], counting[&black]);
            prop_assert!(are_in_range(white, black));
            prop_assert_eq!(veto(white, black), None);
            prop_assert!(!is_held(white, black));
            prop_assert!(white.color_balance <= black.color_balance);
        }
    }

    /// PAIRING-4
    #[test]
    fn nobody_is_left_who_could_meet_somebody_left(tickets in a_queue(), round in a_round()) {
        let mut left = counting(&tickets, &round);
        let pairings = pair(&tickets, &round);
        for Pairing { white, black } in &pairings {
            left.remove(white);
            left.remove(black);
        }
        let alone = without_opponent(&tickets, &pairings, &round);
        prop_assert!(alone.iter().all(|player| left.contains_key(player)));
        let left: Vec<&Ticket> = left.into_values().collect();
        for (at, a) in left.iter().enumerate() {
            for b in &left[at + 1..] {
                prop_assert!(!may_meet(a, b), "{a:?} and {b:?} could meet");
            }
        }
    }

    /// The search structure finds what a plain search finds, in the same order.
    #[test]
    fn a_pass_does_what_the_rules_say(tickets in a_queue(), round in a_round()) {
        let meetings: Vec<_> = pair(&tickets, &round)
            .into_iter()
            .map(|Pairing { white, black }| (white.min(black), white.max(black)))
            .collect();
        prop_assert_eq!(meetings, said_plainly(&tickets, &round));
    }

    /// PAIRING-5: the order of the input does not matter.
    #[test]
    fn the_order_of_the_tickets_does_not_matter(
        (tickets, shuffled) in a_queue().prop_flat_map(|tickets| {
            let mut seen = BTreeSet::new();
            let once: Vec<Ticket> = tickets.into_iter().filter(|ticket| seen.insert(ticket.player)).collect();
            (Just(once.clone()), Just(once).prop_shuffle())
        }),
        round in a_round(),
    ) {
        prop_assert_eq!(pair(&tickets, &round), pair(&shuffled, &round));
    }

    #[test]
    fn extreme_numbers_are_survived(
        tickets in prop::collection::vec((0..30_u128, any::<i32>(), any::<i64>(), any::<i32>()), 0..30),
        now_ms in any::<i64>(),
    ) {
        let tickets: Vec<Ticket> = tickets
            .into_iter()
            .map(|(number, rating, queued_at_ms, color_balance)| Ticket {
                color_balance,
                last_encounter: Some(Encounter { opponent: player(number ^ 1), ended_at_ms: i64::MIN }),
                ..Ticket::new(player(number), rating, queued_at_ms)
            })
            .collect();
        let round = Round { now_ms, ..Round::default() };
        let pairings = pair(&tickets, &round);
        prop_assert!(pairings.len() * 2 <= tickets.len());
    }
}
