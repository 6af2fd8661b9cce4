//! A million random operations against a model that knows nothing of double entry.
//!
//! The model keeps three numbers a player and one a house, and says by itself what each operation must lead to. Repeats come
//! again with the same id at any later time. A race is two operations that were decided on one and the same state: the second
//! is booked only if nothing it looked at has changed, and is decided anew otherwise, which is what the locks of the store
//! come to.

use std::collections::HashMap;

use domain_ledger::idempotency::{Idempotency, InputHash, Turn, turn_of};
use domain_ledger::{
    Account, Balances, BasisPoints, Command, Currency, Decision, Direction, Event, Hold, MatchId, Movement,
    PlayerId, RefundReason, Settlement, Transfer, TransferId, reversal, verify, verify_holds,
};

use crate::scenario::amount;

const OPERATIONS: u64 = 1_000_000;
const PLAYERS: u64 = 50;
/// Matches that are looked at: the latest ones, so that operations meet.
const RECENT_MATCHES: u64 = 64;
/// How often the whole log is verified on the way.
const VERIFY_EVERY: u64 = 250_000;

/// Splitmix64: a failing run is the same run again.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, sides: u64) -> u64 {
        self.next() % sides
    }

    fn player(&mut self) -> PlayerId {
        PlayerId::new(u128::from(1 + self.below(PLAYERS)))
    }

    fn minor(&mut self) -> i64 {
        i64::try_from(1 + self.below(500)).unwrap()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Deposit(PlayerId, i64),
    Withdraw(PlayerId, i64),
    Adjust(PlayerId, Direction, i64),
    /// The opposite of the movement with this number.
    Reverse(u64),
    Hold(Hold),
    Pay(MatchId, PlayerId),
    Refund(MatchId, RefundReason),
}

/// What came of an operation: whether money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Moved,
    Nothing,
}

/// The ledger as the rules make it.
#[derive(Default)]
struct Ledger {
    balances: Balances,
    matches: HashMap<MatchId, Settlement>,
    movements: HashMap<u64, Transfer>,
    reversed: HashMap<u64, u64>,
    answers: HashMap<u64, Idempotency<Outcome>>,
    log: Vec<Transfer>,
}

/// What an operation was decided to be, and on what.
struct Decided {
    transfers: Vec<Transfer>,
    event: Option<(MatchId, Event)>,
}

impl Ledger {
    fn decide(&self, id: u64, operation: Operation) -> Decided {
        let movement = |player, minor| Movement {
            transfer: TransferId::new(u128::from(id) << 8),
            player,
            amount: amount(minor),
            currency: Currency::XPL,
        };
        let one = |transfer: Result<Transfer, _>| Decided {
            transfers: transfer.into_iter().collect(),
            event: None,
        };
        let balances = &self.balances;
        match operation {
            Operation::Deposit(player, minor) => one(movement(player, minor).deposit(balances)),
            Operation::Withdraw(player, minor) => one(movement(player, minor).withdrawal(balances)),
            Operation::Adjust(player, direction, minor) => {
                one(movement(player, minor).adjustment(direction, balances))
            }
            Operation::Reverse(of) => match self.movements.get(&of) {
                Some(transfer) if !self.reversed.contains_key(&of) => {
                    one(reversal(transfer, TransferId::new(u128::from(id) << 8), balances))
                }
                _ => Decided { transfers: Vec::new(), event: None },
            },
            Operation::Hold(hold) => {
                let transfer = TransferId::new(u128::from(id) << 8);
                self.decide_match(hold.match_id, &Command::HoldStakes { hold, transfer })
            }
            Operation::Pay(match_id, winner) => {
                let collect = TransferId::new(u128::from(id) << 8);
                let payout = TransferId::new((u128::from(id) << 8) + 1);
                self.decide_match(match_id, &Command::PayWinner { winner, collect, payout })
            }
            Operation::Refund(match_id, reason) => {
                let transfer = TransferId::new(u128::from(id) << 8);
                self.decide_match(match_id, &Command::RefundStakes { reason, transfer })
            }
        }
    }

    fn decide_match(&self, match_id: MatchId, command: &Command) -> Decided {
        let settlement = self.matches.get(&match_id).copied().unwrap_or_default();
        match settlement.decide(&self.balances, command) {
            Ok(Decision::Record { event, transfers }) => {
                Decided { transfers, event: Some((match_id, event)) }
            }
            Ok(Decision::Unchanged) => Decided { transfers: Vec::new(), event: None },
            Err(refusal) => {
                let is_hold = matches!(command, Command::HoldStakes { .. });
                let event = is_hold.then_some((match_id, Event::StakesRefused(refusal)));
                Decided { transfers: Vec::new(), event }
            }
        }
    }

    fn book(&mut self, id: u64, operation: Operation, decided: Decided) -> Outcome {
        let outcome = if decided.transfers.is_empty() { Outcome::Nothing } else { Outcome::Moved };
        if let Some((match_id, event)) = decided.event {
            let settlement = self.matches.entry(match_id).or_default();
            *settlement = settlement.evolve(&event);
        }
        for transfer in decided.transfers {
            self.balances.apply(&transfer).expect("what was decided on this state can be booked");
            match operation {
                Operation::Deposit(..) | Operation::Withdraw(..) | Operation::Adjust(..) => {
                    self.movements.insert(id, transfer.clone());
                }
                Operation::Reverse(of) => {
                    self.reversed.insert(of, id);
                }
                _ => {}
            }
            self.log.push(transfer);
        }
        outcome
    }

    /// Carries an operation out, or answers as the first time.
    fn run(&mut self, id: u64, operation: Operation) -> Outcome {
        let input_hash = digest(operation);
        match turn_of(self.answers.get(&id), input_hash) {
            Ok(Turn::Repeat(first)) => return *first,
            Ok(Turn::First) => {}
            Err(_) => panic!("operation {id} came with another input"),
        }
        let decided = self.decide(id, operation);
        let outcome = self.book(id, operation, decided);
        self.answers.insert(id, Idempotency { input_hash, outcome });
        outcome
    }

    fn verify(&self) {
        assert_eq!(verify(&self.log, &self.balances).as_ref(), Ok(&self.balances));
        let open = self.matches.values().filter_map(Settlement::open_hold);
        assert_eq!(verify_holds(open, &self.balances), Ok(()));
        assert_eq!(self.balances.sum(Currency::XPL), 0);
        for (account, _, minor) in self.balances.iter() {
            assert!(minor >= 0 || account == Account::External, "{account:?} {minor}");
        }
    }
}

/// Not a digest of an adversary's choice: the inputs are ours.
fn digest(operation: Operation) -> InputHash {
    let mut hash = [0; 32];
    for (at, byte) in format!("{operation:?}").bytes().enumerate() {
        hash[at % 32] ^= byte.rotate_left((at / 32 % 8) as u32);
    }
    InputHash(hash)
}

/// How a match stands in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Held,
    Over,
}

/// Money without any bookkeeping.
#[derive(Default)]
struct Model {
    available: HashMap<PlayerId, i64>,
    held: HashMap<PlayerId, i64>,
    fees: i64,
    outside: i64,
    matches: HashMap<MatchId, (Hold, Stage)>,
    movements: HashMap<u64, (PlayerId, i64)>,
}

impl Model {
    fn run(&mut self, id: u64, operation: Operation) -> Outcome {
        let did = match operation {
            Operation::Deposit(player, minor) | Operation::Adjust(player, Direction::Credit, minor) => {
                self.shift(Some(id), player, minor)
            }
            Operation::Withdraw(player, minor) | Operation::Adjust(player, Direction::Debit, minor) => {
                self.shift(Some(id), player, -minor)
            }
            Operation::Reverse(of) => match self.movements.get(&of).copied() {
                Some((player, minor)) if self.shift(None, player, -minor) => {
                    self.movements.remove(&of);
                    true
                }
                _ => false,
            },
            Operation::Hold(hold) => self.hold(hold),
            Operation::Pay(match_id, winner) => self.end(match_id, Some(winner)),
            Operation::Refund(match_id, _) => self.end(match_id, None),
        };
        if did { Outcome::Moved } else { Outcome::Nothing }
    }

    fn shift(&mut self, id: Option<u64>, player: PlayerId, minor: i64) -> bool {
        let available = self.available.entry(player).or_default();
        if *available + minor < 0 {
            return false;
        }
        *available += minor;
        self.outside -= minor;
        if let Some(id) = id {
            self.movements.insert(id, (player, minor));
        }
        true
    }

    fn hold(&mut self, hold: Hold) -> bool {
        if self.matches.contains_key(&hold.match_id) {
            return false;
        }
        let stake = hold.stake.minor();
        let can = |player| self.available.get(&player).copied().unwrap_or(0) >= stake;
        let stage = if hold.white != hold.black && can(hold.white) && can(hold.black) {
            for player in [hold.white, hold.black] {
                *self.available.entry(player).or_default() -= stake;
                *self.held.entry(player).or_default() += stake;
            }
            Stage::Held
        } else {
            Stage::Over
        };
        self.matches.insert(hold.match_id, (hold, stage));
        stage == Stage::Held
    }

    fn end(&mut self, match_id: MatchId, winner: Option<PlayerId>) -> bool {
        let Some((hold, stage)) = self.matches.get_mut(&match_id) else { return false };
        let played = |player| player == hold.white || player == hold.black;
        if *stage == Stage::Over || winner.is_some_and(|winner| !played(winner)) {
            return false;
        }
        *stage = Stage::Over;
        let hold = *hold;
        let stake = hold.stake.minor();
        for player in [hold.white, hold.black] {
            *self.held.entry(player).or_default() -= stake;
            if winner.is_none() {
                *self.available.entry(player).or_default() += stake;
            }
        }
        if let Some(winner) = winner {
            let fee = 2 * stake * i64::from(hold.fee.get()) / 10_000;
            *self.available.entry(winner).or_default() += 2 * stake - fee;
            self.fees += fee;
        }
        true
    }

    fn assert_like(&self, balances: &Balances) {
        let of = |account| balances.of(account, Currency::XPL);
        for player in (1..=PLAYERS).map(|id| PlayerId::new(u128::from(id))) {
            let expected = |map: &HashMap<PlayerId, i64>| map.get(&player).copied().unwrap_or(0);
            assert_eq!(of(Account::Available(player)), expected(&self.available), "{player:?}");
            assert_eq!(of(Account::Held(player)), expected(&self.held), "{player:?}");
        }
        assert_eq!((of(Account::Fees), of(Account::External)), (self.fees, self.outside));
    }
}

fn roll(dice: &mut Dice, id: u64, matches: &mut u64) -> Operation {
    let recent = |dice: &mut Dice, matches: u64| {
        let back = dice.below(RECENT_MATCHES.min(matches + 1));
        MatchId::new(u128::from(matches - back.min(matches)))
    };
    match dice.below(100) {
        0..8 => Operation::Deposit(dice.player(), dice.minor()),
        8..14 => Operation::Withdraw(dice.player(), dice.minor()),
        14..16 => Operation::Adjust(dice.player(), Direction::Credit, dice.minor()),
        16..18 => Operation::Adjust(dice.player(), Direction::Debit, dice.minor()),
        18..22 => Operation::Reverse(id.saturating_sub(1 + dice.below(200))),
        22..55 => {
            *matches += 1;
            // Now and then the id of a match that has been, under other terms.
            let match_id =
                if dice.below(20) == 0 { recent(dice, *matches) } else { MatchId::new(u128::from(*matches)) };
            Operation::Hold(Hold {
                match_id,
                white: dice.player(),
                black: dice.player(),
                stake: amount(dice.minor()),
                currency: Currency::XPL,
                fee: BasisPoints::new(u32::try_from(dice.below(10_001)).unwrap()).unwrap(),
            })
        }
        55..85 => {
            let match_id = recent(dice, *matches);
            Operation::Pay(match_id, dice.player())
        }
        _ => {
            let reasons = [RefundReason::Drawn, RefundReason::Aborted, RefundReason::Cancelled];
            let match_id = recent(dice, *matches);
            Operation::Refund(match_id, reasons[usize::try_from(dice.below(3)).unwrap()])
        }
    }
}

/// A winner who played, for most payouts: a stranger would nearly always be rolled otherwise.
fn sensible(operation: Operation, model: &Model, dice: &mut Dice) -> Operation {
    match operation {
        Operation::Pay(match_id, _) if dice.below(10) > 0 => match model.matches.get(&match_id) {
            Some((hold, _)) => {
                let winner = if dice.below(2) == 0 { hold.white } else { hold.black };
                Operation::Pay(match_id, winner)
            }
            None => operation,
        },
        other => other,
    }
}

#[test]
fn a_million_operations_with_repeats_and_races_are_what_a_model_says() {
    // LEDGER-1 to LEDGER-5; F01, F02, F04, F12, F16
    let mut dice = Dice(20_261_129);
    let (mut ledger, mut model) = (Ledger::default(), Model::default());
    let mut done: Vec<(u64, Operation)> = Vec::new();
    let mut matches = 0;
    let (mut repeats, mut races, mut moved) = (0_u64, 0_u64, 0_u64);
    for id in 1..=OPERATIONS {
        if dice.below(10) == 0 && !done.is_empty() {
            // Any earlier operation again, whatever has happened since.
            let (again, operation) = done[usize::try_from(dice.below(done.len() as u64)).unwrap()];
            let before = ledger.log.len();
            let first = ledger.answers[&again].outcome;
            assert_eq!(ledger.run(again, operation), first);
            assert_eq!(ledger.log.len(), before);
            repeats += 1;
            continue;
        }
        let rolled = roll(&mut dice, id, &mut matches);
        let operation = sensible(rolled, &model, &mut dice);
        if dice.below(10) == 0 {
            // A rival is decided on the same state and booked first; what was decided before it is thrown away.
            let rival_id = OPERATIONS + id;
            let rolled = roll(&mut dice, rival_id, &mut matches);
            let rival = sensible(rolled, &model, &mut dice);
            let stale = ledger.decide(id, operation);
            let rival_outcome = ledger.run(rival_id, rival);
            assert_eq!(rival_outcome, model.run(rival_id, rival), "{rival:?}");
            let hold_was_refused = matches!(rival, Operation::Hold(_));
            if rival_outcome == Outcome::Nothing && !hold_was_refused {
                // What changes nothing makes nobody decide anew.
                assert_eq!(stale.transfers, ledger.decide(id, operation).transfers);
            }
            races += 1;
        }
        let outcome = ledger.run(id, operation);
        assert_eq!(outcome, model.run(id, operation), "operation {id}: {operation:?}");
        moved += u64::from(outcome == Outcome::Moved);
        done.push((id, operation));
        if id % 10_000 == 0 {
            model.assert_like(&ledger.balances);
        }
        if id % VERIFY_EVERY == 0 {
            ledger.verify();
        }
    }
    model.assert_like(&ledger.balances);
    assert!(
        repeats > OPERATIONS / 20 && races > OPERATIONS / 20 && moved > OPERATIONS / 4,
        "{repeats} {races} {moved}"
    );
}
