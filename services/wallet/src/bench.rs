//! Benchmark P11: settlements in batches against one transaction each with a hot fee row, on one Postgres in one run.
//!
//! Both sides do everything that a settlement does here: log, outbox, entries, holds, balances, statements, first outcomes.
//! The side that is compared with has what is usual besides: a transaction for each settlement, and a balance row of the house
//! that each of them has to lock. Its row is taken as late as can be, directly before the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain_ledger::eligibility::Policy;
use domain_ledger::{Amount, BasisPoints, Currency, Hold, MatchId, PlayerId};
use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use prost::Message as _;
use proto::gateway::v1::PlayerRegistered;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::app::GameId;
use crate::app::match_money::Order;
use crate::app::opening::OpeningDeposit;
use crate::bus::players::PlayerHandler;
use crate::bus::settle::{BATCH_ORDERS_MAX, Task, settle_all};

/// How much is settled, and by how many at once.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Players among whom the matches are.
    pub players: usize,
    /// Settlements in batches.
    pub batched: usize,
    /// Settlements in a transaction each.
    pub single: usize,
    /// Transactions at once where each settlement has one; batches are made by two tasks, as in the service.
    pub single_workers: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self { players: 1_000, batched: 20_000, single: 2_000, single_workers: 16 }
    }
}

/// Settlements a second, one way and the other.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// In batches.
    pub batched_per_s: f64,
    /// In a transaction each, with a hot row.
    pub single_per_s: f64,
}

impl Rates {
    /// How many times as many in batches.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.batched_per_s / self.single_per_s
    }
}

const HOT_ROW: &str = "create table hot_fees (id integer primary key, amount bigint not null);
    insert into hot_fees values (1, 0)";
const TAKE_HOT_ROW: &str = "update hot_fees set amount = amount + $1 where id = 1";
/// What is prepared need not be on disk before it is measured.
const IN_A_HURRY: &str = "set local synchronous_commit = off";

/// Runs the benchmark on a wallet's empty database.
///
/// # Errors
/// When the database does not do it, or an order is refused.
pub async fn settlement_rates(pool: &PgPool, plan: Plan) -> Result<Rates, HandleError> {
    sqlx::raw_sql(HOT_ROW).execute(pool).await?;
    let players = sign_up(pool, plan.players).await?;
    let matches = hold_stakes(pool, &players, plan.batched + plan.single).await?;
    let (batched, single) = matches.split_at(plan.batched);
    let ends = Ends { cause: cause(), matches: Arc::new(single.to_vec()) };
    let single_time = ends.settle(pool, plan.single_workers, 1).await?;
    let ends = Ends { cause: cause(), matches: Arc::new(batched.to_vec()) };
    let batched_time = ends.settle(pool, crate::GAME_LANES, BATCH_ORDERS_MAX).await?;
    Ok(Rates {
        batched_per_s: plan.batched as f64 / batched_time.as_secs_f64(),
        single_per_s: plan.single as f64 / single_time.as_secs_f64(),
    })
}

/// A match that ends.
#[derive(Debug, Clone, Copy)]
struct Played {
    match_id: MatchId,
    game: GameId,
    winner: PlayerId,
}

/// Matches to be settled, and by whose message.
#[derive(Clone)]
struct Ends {
    cause: Arc<Message>,
    matches: Arc<Vec<Played>>,
}

impl Ends {
    async fn settle(&self, pool: &PgPool, workers: usize, batch: usize) -> Result<Duration, HandleError> {
        let next = Arc::new(AtomicUsize::new(0));
        let started = Instant::now();
        let mut running = JoinSet::new();
        for _ in 0..workers {
            running.spawn(self.clone().work(pool.clone(), next.clone(), batch));
        }
        while let Some(done) = running.join_next().await {
            done.map_err(|error| HandleError::Permanent(error.to_string()))??;
        }
        Ok(started.elapsed())
    }

    async fn work(self, pool: PgPool, next: Arc<AtomicUsize>, batch: usize) -> Result<(), HandleError> {
        loop {
            let from = next.fetch_add(batch, Ordering::Relaxed);
            let Some(matches) = self.matches.get(from..(from + batch).min(self.matches.len())) else {
                return Ok(());
            };
            if matches.is_empty() {
                return Ok(());
            }
            let tasks: Vec<Task<'_>> = matches
                .iter()
                .map(|played| Task {
                    match_id: played.match_id,
                    order: Order::Pay { game: played.game, winner: played.winner },
                    cause: &self.cause,
                })
                .collect();
            let mut tx = pool.begin().await?;
            for answer in settle_all(&mut tx, &tasks, &Policy::default()).await? {
                answer?;
            }
            if batch == 1 {
                sqlx::query(TAKE_HOT_ROW).bind(1_i64).execute(&mut *tx).await?;
            }
            tx.commit().await?;
        }
    }
}

async fn sign_up(pool: &PgPool, count: usize) -> Result<Vec<PlayerId>, HandleError> {
    let deposit = OpeningDeposit {
        amount: Amount::new(1_000_000_000).expect("more than nothing"),
        currency: Currency::XPL,
    };
    let handler = PlayerHandler::new(Some(deposit));
    let mut players = Vec::with_capacity(count);
    for _ in 0..count {
        let player_id = Uuid::now_v7();
        let event = PlayerRegistered {
            player_id: player_id.to_string(),
            name: "Paul".to_owned(),
            roles: vec!["player".to_owned()],
            registered_at_ms: 0,
        };
        let message = message("PlayerRegistered", player_id, event.encode_to_vec());
        let mut tx = pool.begin().await?;
        sqlx::raw_sql(IN_A_HURRY).execute(&mut *tx).await?;
        handler.handle(&mut tx, &message).await?;
        tx.commit().await?;
        players.push(PlayerId::new(player_id.as_u128()));
    }
    Ok(players)
}

async fn hold_stakes(pool: &PgPool, players: &[PlayerId], count: usize) -> Result<Vec<Played>, HandleError> {
    let cause = cause();
    let mut matches = Vec::with_capacity(count);
    for from in (0..count).step_by(BATCH_ORDERS_MAX) {
        let mut tasks = Vec::new();
        for at in from..(from + BATCH_ORDERS_MAX).min(count) {
            let (white, black) = pair(players, at);
            let match_id = MatchId::new(Uuid::now_v7().as_u128());
            let game = GameId(Uuid::now_v7());
            let hold = Hold {
                match_id,
                white,
                black,
                stake: Amount::new(500).expect("more than nothing"),
                currency: Currency::XPL,
                fee: BasisPoints::new(500).expect("less than the whole"),
            };
            matches.push(Played { match_id, game, winner: white });
            tasks.push(Task { match_id, order: Order::Hold { hold, game }, cause: &cause });
        }
        let mut tx = pool.begin().await?;
        sqlx::raw_sql(IN_A_HURRY).execute(&mut *tx).await?;
        for answer in settle_all(&mut tx, &tasks, &Policy::default()).await? {
            answer?;
        }
        tx.commit().await?;
    }
    Ok(matches)
}

/// Everybody meets everybody, so that matches that end together share players only by chance.
fn pair(players: &[PlayerId], at: usize) -> (PlayerId, PlayerId) {
    let count = players.len();
    let white = (at * 7_919) % count;
    let black = (white + 1 + (at / count) % (count - 1)) % count;
    (players[white], players[black])
}

fn cause() -> Arc<Message> {
    Arc::new(message("GameEnded", Uuid::now_v7(), Vec::new()))
}

fn message(kind: &str, stream_id: Uuid, data: Vec<u8>) -> Message {
    Message {
        service: "bench".to_owned(),
        stream_kind: "bench".to_owned(),
        stream_id,
        version: 1,
        follows: 0,
        event_id: Uuid::now_v7(),
        kind: kind.to_owned(),
        schema: 1,
        data,
        metadata: Metadata::for_request("bench", Uuid::now_v7()),
        recorded_at: OffsetDateTime::now_utc(),
    }
}
