//! Carrying out orders on the money of matches: one, or many in one transaction.

use std::collections::{BTreeMap, HashSet};

use domain_ledger::eligibility::{Action, Policy, Standing, Usage};
use domain_ledger::idempotency::{Idempotency, InputHash, Turn, turn_of};
use domain_ledger::{Account, Balances, Currency, Hold, MatchId, PlayerId, Prize, RefundReason, Settlement};
use event_bus::{HandleError, Message};
use event_store::{Metadata, Version};
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::match_money::{MatchMoney, Order, Verdict};
use crate::app::posting::{Draft, StakesRefusal};
use crate::app::{match_uuid, player_uuid, step_uuid, unix_ms};
use crate::store::log::LoadError;
use crate::store::operations::{self, OperationOutcome};
use crate::store::posting::{Batch, DueError, Place, PostError};
use crate::store::prizes::PrizeHold;
use crate::store::{self, balances, log, prizes};
use crate::{SERVICE, telemetry};

/// The most orders that are carried out in one transaction: enough that the commit costs next to nothing, few enough that the
/// locks are held for a small part of a second even then.
pub const BATCH_ORDERS_MAX: usize = 500;

/// What a message asks of the money of a match.
#[derive(Debug)]
pub struct Task<'a> {
    /// Which match.
    pub match_id: MatchId,
    /// What.
    pub order: Order,
    /// The message.
    pub cause: &'a Message,
}

/// What came of an order; a refusal has changed nothing.
type Answer = Result<(), HandleError>;

/// Does what the order says, unless it was done, and stores what came of it (`WALLET-2`).
pub(super) async fn settle(conn: &mut PgConnection, task: Task<'_>, policy: &Policy) -> Answer {
    let answers = settle_all(conn, &[task], policy).await?;
    answers.into_iter().next().expect("one order has one answer")
}

/// Carries out many orders in the caller's transaction and answers for each in their order (`WALLET-11`).
///
/// # Errors
/// When the database did not do it; the transaction is lost then.
pub async fn settle_all(
    conn: &mut PgConnection,
    tasks: &[Task<'_>],
    policy: &Policy,
) -> Result<Vec<Answer>, HandleError> {
    let mut answers: Vec<Option<Answer>> = tasks.iter().map(|_| None).collect();
    while answers.iter().any(Option::is_none) {
        // Two orders on one match are carried out one after the other: the second sees what the first has done.
        let mut matches = HashSet::new();
        let round: Vec<usize> = (0..tasks.len())
            .filter(|&at| answers[at].is_none() && matches.insert(tasks[at].match_id))
            .collect();
        for (at, answer) in settle_round(conn, tasks, &round, policy).await? {
            answers[at] = Some(answer);
        }
    }
    Ok(answers.into_iter().flatten().collect())
}

/// An order that has to be decided.
struct Open<'a> {
    at: usize,
    task: &'a Task<'a>,
    operation: Uuid,
    input_hash: InputHash,
    money: MatchMoney,
    expected: Version,
}

/// Carries out orders on different matches.
async fn settle_round(
    conn: &mut PgConnection,
    tasks: &[Task<'_>],
    round: &[usize],
    policy: &Policy,
) -> Result<Vec<(usize, Answer)>, HandleError> {
    let now = OffsetDateTime::now_utc();
    // Before every other lock, as whoever ends a hold does.
    let prize_holds = prizes::standing(conn, &winners(tasks, round), now).await?;
    let streams: Vec<Uuid> = round.iter().map(|&at| match_uuid(tasks[at].match_id)).collect();
    log::lock_streams(conn, &streams).await?;
    let (mut answers, open) = sort_out(conn, tasks, round).await?;
    let locked = lock_accounts(conn, &open, &prize_holds).await?;
    let ineligible = ineligible_players(conn, &open, policy).await?;
    let mut batch = Batch::new(locked);
    let mut outcomes = Vec::with_capacity(open.len());
    for Open { at, task, operation, input_hash, money, expected } in open {
        let verdict = match ineligible.get(&at) {
            Some(player) => Ok(Verdict::Post(money.refuse(StakesRefusal::NotEligible(*player)))),
            None => money.decide(batch.balances(), &task.order),
        };
        let outcome = match verdict {
            Err(contradicts) => {
                answers.push((at, contradiction(&task.order, &contradicts)));
                continue;
            }
            Ok(Verdict::NotYet) => {
                let reason = "the stakes of the match are not held yet".to_owned();
                answers.push((at, Err(HandleError::Transient(reason))));
                continue;
            }
            Ok(Verdict::Nothing) => outcome_of(&money),
            Ok(Verdict::Post(draft)) => {
                let after = money.evolve(&draft.event);
                let drafts: Vec<Draft> = [draft].into_iter().chain(withheld(&after, &prize_holds)).collect();
                for draft in &drafts {
                    metrics::counter!(telemetry::POSTINGS, "event" => draft.event.name()).increment(1);
                }
                let place = Place { expected, metadata: Metadata::caused_by(task.cause, SERVICE) };
                batch.add(drafts, place).map_err(PostError::from)?;
                outcome_of(&after)
            }
        };
        outcomes.push((operation, Idempotency { input_hash, outcome }));
        answers.push((at, Ok(())));
    }
    batch.write(conn).await?;
    operations::insert_all(conn, &outcomes).await?;
    Ok(answers)
}

/// Answers what was carried out before, and loads the matches of the rest.
async fn sort_out<'a>(
    conn: &mut PgConnection,
    tasks: &'a [Task<'a>],
    round: &[usize],
) -> Result<(Vec<(usize, Answer)>, Vec<Open<'a>>), HandleError> {
    let operation_of = |at: &usize| step_uuid(match_uuid(tasks[*at].match_id), tasks[*at].order.step());
    let ids: Vec<Uuid> = round.iter().map(operation_of).collect();
    let stored = operations::find_all(conn, &ids).await?;
    let mut answers = Vec::with_capacity(round.len());
    let mut left = Vec::with_capacity(round.len());
    for (&at, operation) in round.iter().zip(ids) {
        let task = &tasks[at];
        let input_hash = digest(&task.order);
        match turn_of(stored.get(&operation), input_hash) {
            Ok(Turn::First) => left.push((at, task, operation, input_hash)),
            Ok(Turn::Repeat(_)) => {
                metrics::counter!(telemetry::REPEATS, "step" => task.order.step()).increment(1);
                answers.push((at, Ok(())));
            }
            Err(reused) => answers.push((at, contradiction(&task.order, &reused))),
        }
    }
    let matches: Vec<MatchId> = left.iter().map(|(_, task, ..)| task.match_id).collect();
    let mut loaded: BTreeMap<MatchId, (MatchMoney, Version)> = log::load_matches(conn, &matches).await?;
    let open = left
        .into_iter()
        .map(|(at, task, operation, input_hash)| {
            let new = || (MatchMoney::new(task.match_id), 0);
            let (money, expected) = loaded.remove(&task.match_id).unwrap_or_else(new);
            Open { at, task, operation, input_hash, money, expected }
        })
        .collect();
    Ok((answers, open))
}

/// New holds whose stakes somebody may not play for, each with that player. Asked behind the lock of the balances, so that two
/// holds of one player see each other's stakes.
async fn ineligible_players(
    conn: &mut PgConnection,
    open: &[Open<'_>],
    policy: &Policy,
) -> Result<BTreeMap<usize, PlayerId>, HandleError> {
    let holds: Vec<(usize, Hold)> = open
        .iter()
        .filter_map(|one| match one.task.order {
            Order::Hold { hold, .. } if one.money.is_open() => Some((one.at, hold)),
            _ => None,
        })
        .collect();
    let mut ineligible = BTreeMap::new();
    if holds.is_empty() {
        return Ok(ineligible);
    }
    let players: Vec<PlayerId> = holds.iter().flat_map(|(_, hold)| [hold.white, hold.black]).collect();
    let standings = log::load_standings(conn, &players).await?;
    let now = OffsetDateTime::now_utc();
    // What is held within this very transaction is not among the rows yet.
    let mut held_here: BTreeMap<(PlayerId, Currency), i64> = BTreeMap::new();
    for (at, hold) in holds {
        for player in [hold.white, hold.black] {
            let standing = standings.get(&player).map(|(standing, _)| *standing).unwrap_or_default();
            let mut usage = Usage::default();
            if standing != Standing::default() {
                usage = store::usage::of(&mut *conn, player, hold.currency, now).await?;
            }
            let here = held_here.entry((player, hold.currency)).or_default();
            usage.at_stake_minor = usage.at_stake_minor.map(|held| held.saturating_add(*here));
            *here = here.saturating_add(hold.stake.minor());
            if policy.ask(&standing, &usage, Action::Play(hold.stake), unix_ms(now)).is_err() {
                ineligible.entry(at).or_insert(player);
            }
        }
    }
    Ok(ineligible)
}

/// Who wins something in this round.
fn winners(tasks: &[Task<'_>], round: &[usize]) -> Vec<PlayerId> {
    let orders = round.iter().map(|&at| tasks[at].order);
    let winner = |order| match order {
        Order::Pay { winner, .. } => Some(winner),
        _ => None,
    };
    orders.filter_map(winner).collect()
}

/// What fair play keeps back of a pot that has just been paid.
fn withheld(money: &MatchMoney, prize_holds: &BTreeMap<PlayerId, PrizeHold>) -> Option<Draft> {
    let winner = Prize::of(money.settlement())?.winner;
    let hold = prize_holds.get(&winner)?;
    money.withhold(hold.hold_id, hold.until_ms)
}

async fn lock_accounts(
    conn: &mut PgConnection,
    open: &[Open<'_>],
    prize_holds: &BTreeMap<PlayerId, PrizeHold>,
) -> Result<Balances, sqlx::Error> {
    let mut accounts = accounts_of(open);
    let withheld: Vec<(PlayerId, Currency)> = open
        .iter()
        .filter_map(|one| match one.task.order {
            Order::Pay { winner, .. } if prize_holds.contains_key(&winner) => {
                let (currency, _) = one.money.accounts(&one.task.order)?;
                Some((winner, currency))
            }
            _ => None,
        })
        .collect();
    balances::ensure_withheld(conn, &withheld).await?;
    accounts.extend(withheld.into_iter().map(|(player, currency)| (Account::Withheld(player), currency)));
    balances::lock_all(conn, &accounts).await
}

fn accounts_of(open: &[Open<'_>]) -> Vec<(Account, Currency)> {
    open.iter()
        .filter_map(|one| one.money.accounts(&one.task.order))
        .flat_map(|(currency, accounts)| accounts.map(|account| (account, currency)))
        .collect()
}

/// Parks the message, where an operator finds it: nobody else can tell which of the two is right.
fn contradiction(order: &Order, cause: &impl std::error::Error) -> Answer {
    metrics::counter!(telemetry::CONTRADICTIONS, "step" => order.step()).increment(1);
    Err(HandleError::Permanent(cause.to_string()))
}

fn outcome_of(money: &MatchMoney) -> OperationOutcome {
    match money.settlement() {
        Settlement::Refused(_) => OperationOutcome::Refused,
        _ => OperationOutcome::Done,
    }
}

/// The digest of what an order asks. It names every field, so that two orders have one digest only if they are one order.
fn digest(order: &Order) -> InputHash {
    let text = match order {
        Order::Hold { hold, game } => format!(
            "hold white={} black={} stake={} {} fee={} game={}",
            player_uuid(hold.white),
            player_uuid(hold.black),
            hold.stake.minor(),
            hold.currency,
            hold.fee.get(),
            game.0,
        ),
        Order::HoldMalformed => "hold malformed".to_owned(),
        Order::Cancel => "cancel".to_owned(),
        Order::Pay { game, winner } => {
            format!("pay game={} winner={}", game.0, player_uuid(*winner))
        }
        Order::Refund { game, reason } => {
            let reason = match reason {
                RefundReason::Drawn => "drawn",
                RefundReason::Aborted => "aborted",
                RefundReason::Cancelled => "cancelled",
            };
            format!("refund game={} reason={reason}", game.0)
        }
    };
    InputHash(Sha256::digest(text.as_bytes()).into())
}

impl From<LoadError> for HandleError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => error.into(),
            LoadError::Codec(error) => Self::Permanent(error.to_string()),
        }
    }
}

impl From<PostError> for HandleError {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Store(error) => error.into(),
            PostError::Append(error) => error.into(),
            PostError::Unbookable(_) | PostError::RowsMissing { .. } => Self::Permanent(error.to_string()),
        }
    }
}

impl From<DueError> for HandleError {
    fn from(error: DueError) -> Self {
        match error {
            DueError::Load(error) => error.into(),
            DueError::Post(error) => error.into(),
            DueError::Store(error) => error.into(),
        }
    }
}
