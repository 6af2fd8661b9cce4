//! P10: one pairing pass over a full queue, on one core. What counts is the time of the processor: a pass that another program
//! interrupts is not slower for it.

use std::hint::black_box;

use anyhow::ensure;
use domain_pairing::{Encounter, PlayerId, Round, Ticket, pair};

use crate::cpu;
use crate::figure::{Figure, Goal};

/// Tickets of a pass and the milliseconds that it may take.
const SIZES: [(u32, f64); 3] = [(1_000, 1.0), (10_000, 12.0), (100_000, 150.0)];

/// Crowds that take turns.
const CROWDS: u64 = 3;

/// Tickets of all passes of a size together, so that even the small ones take a good part of a second: the kernel counts in hundredths.
const TICKETS_IN_ALL: u32 = 3_000_000;

const NOW_MS: i64 = 1_800_000_000_000;

/// Measures and prints.
pub fn run() -> anyhow::Result<()> {
    for (count, goal_ms) in SIZES {
        let crowds: Vec<Vec<Ticket>> = (0..CROWDS).map(|seed| queue(count, seed)).collect();
        let passes = TICKETS_IN_ALL / count;
        let before = cpu::used_by(std::process::id());
        for (coin, tickets) in (0..passes).zip(crowds.iter().cycle()) {
            pass(tickets, coin.into())?;
        }
        let used = cpu::used_by(std::process::id()).saturating_sub(before);
        Figure {
            id: "P10",
            name: format!("pairing pass over {count} tickets"),
            value: used.as_secs_f64() * 1_000.0 / f64::from(passes),
            unit: "ms of processor time",
            goal: Goal::AtMost(goal_ms),
            n: passes as usize,
        }
        .print();
    }
    Ok(())
}

fn pass(tickets: &[Ticket], coin: u64) -> anyhow::Result<()> {
    let round = Round { now_ms: NOW_MS, coin, ..Round::default() };
    let pairings = pair(black_box(tickets), &round);
    // A crowd like this leaves a handful alone; a pass that paired nobody would be quick and worthless.
    let least = tickets.len() * 9 / 10;
    ensure!(pairings.len() * 2 > least, "{} pairs of {} tickets", pairings.len(), tickets.len());
    Ok(())
}

/// A crowd as it waits: ratings in a bell around 1500, waits of up to a minute, every third just out of a game with a
/// neighbour, every tenth with opponents he may not meet again today and one whom he does not want to meet.
fn queue(count: u32, seed: u64) -> Vec<Ticket> {
    let mut random = Random(seed);
    let player = |number: u64| PlayerId::new(u128::from(number));
    (0..u64::from(count))
        .map(|number| {
            let bell: u64 = (0..4).map(|_| random.below(600)).sum();
            let rating = 300 + i32::try_from(bell).expect("at most 2,400");
            let waited_ms = i64::try_from(random.below(60_000)).expect("a minute");
            let mut ticket = Ticket::new(player(number), rating, NOW_MS - waited_ms);
            ticket.color_balance = i32::try_from(random.below(5)).expect("small") - 2;
            if number % 3 == 0 {
                let opponent = player(number ^ 1);
                ticket.last_encounter = Some(Encounter { opponent, ended_at_ms: NOW_MS - waited_ms - 1_000 });
            }
            if number % 10 == 0 {
                ticket.exhausted = (0..3).map(|_| player(random.below(count.into()))).collect();
                ticket.blocked = [player(random.below(count.into()))].into();
            }
            ticket
        })
        .collect()
}

/// `SplitMix64`: the same crowd on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}
