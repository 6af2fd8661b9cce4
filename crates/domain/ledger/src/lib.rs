//! The ledger's rules: double entry, the life of a staked match's money, and the check of it all.
//!
//! Pure: a decision takes the balances of the accounts it touches and returns the transfers to book. Locking those
//! balances, booking the transfers and recording the event in one transaction is the wallet service's business.
//!
//! # Map
//! * [`ids`]: players, matches and transfers, as 128-bit numbers.
//! * [`money`]: amounts, currencies and fee rates, checked once.
//! * [`split`](mod@split): how a pot falls into fee and payout, and how a sum falls into parts.
//! * [`transfer`]: accounts, entries and transfers; the only way money moves.
//! * [`balances`]: what a sequence of transfers adds up to.
//! * [`hold`]: both stakes of a match and the transfers that move them.
//! * [`settlement`]: the decider of one match's stakes.
//! * [`restitution`]: what the house makes good to who lost a stake to a cheat, and the fund it pays that from.
//! * [`prize`]: what of a payout can be withheld, and the transfers that do so and undo it.
//! * [`movement`]: deposits, withdrawals, adjustments and reversals of one player.
//! * [`eligibility`]: who may deposit, play and withdraw: identity, age, region, self-exclusion, limits.
//! * [`idempotency`]: the first outcome of an id is its only outcome.
//! * [`verify`](mod@verify): recomputes balances and open holds and names the first difference.
//!
//! # Where a stake lies
//! A stake stays the player's own money until the match is settled: the hold moves it from `available` to `held`. A payout is
//! two transfers booked together: *collect* moves both stakes from `held` to the match's `pot`, and *payout* empties the pot
//! to the winner and the house. So the pot is zero whenever nobody is in the middle of a settlement, a player always sees
//! what is held, and a refund never touches the pot.
//!
//! # Invariants
//! * `LEDGER-1` The entries of every transfer sum to zero, in one currency; so does every set of balances made of transfers.
//! * `LEDGER-2` No debit takes an account below zero, except that of the outside world.
//! * `LEDGER-3` payout + fee = pot = two stakes, with fee = floor(pot × basis points ÷ 10,000).
//! * `LEDGER-4` Held money = the stakes of the open holds: a hold takes both stakes or none, a refund returns exactly them.
//! * `LEDGER-5` A settled match stays as it was settled: the same command again changes nothing, another is refused.
//! * `LEDGER-6` A transfer names an account once, so it can never be one to itself.
//! * `LEDGER-7` Nothing overflows silently: sums are made in 128 bits and refused when they do not fit 64.
//! * `LEDGER-8` An exclusion is never shortened, a limit is lowered at once and raised only after a day.
//! * `LEDGER-9` What the eligibility policy cannot decide it refuses.
//! * `LEDGER-10` A prize is what a winner got beyond his stake; only that is ever withheld.
//! * `LEDGER-11` A match's loser is made whole with his stake, by the house's fund alone, which never owes; nobody else's money moves.
//!
//! # Deliberately absent
//! No clock: a hold never expires, only a command ends it. No conversion between currencies. No ids are made here, because
//! the caller derives them from the match. No hashing: the caller brings the digest of a command.

pub mod balances;
pub mod eligibility;
pub mod hold;
pub mod idempotency;
pub mod ids;
pub mod money;
pub mod movement;
pub mod prize;
pub mod restitution;
pub mod settlement;
pub mod split;
pub mod transfer;
pub mod verify;

pub use balances::{Balances, Unbookable};
pub use hold::Hold;
pub use idempotency::{Idempotency, InputHash, KeyReused, Turn, turn_of};
pub use ids::{MatchId, PlayerId, TransferId};
pub use money::{Amount, BasisPoints, Currency};
pub use movement::{Direction, Movement, reversal};
pub use prize::Prize;
pub use restitution::{Claim, FundMovement, FundSource, NotOwed, Restitution, RestitutionPolicy};
pub use settlement::{Command, Decision, Event, Outcome, RefundReason, Refusal, Settlement};
pub use split::{PotSplit, split, split_pot};
pub use transfer::{Account, Entry, Transfer, TransferKind, TransferParts};
pub use verify::{Difference, verify, verify_holds};
