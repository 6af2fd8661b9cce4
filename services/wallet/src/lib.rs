//! The wallet: who has what, and what is held for which match.
//!
//! It follows the events of players, matches and games; nobody moves a stake by a call. Players bring and fetch their own money
//! at the desk, and operators correct it. What may happen to money is `domain-ledger`'s to say, here is the transaction around
//! it: log, entries, balances and statements change together.
//!
//! # Map
//! * [`app`]: decisions without a database: a match's money, a player's own money, statements, the hash chain, the audit; and
//!   the port to payment providers.
//! * [`cashier`]: a player's own money inside a transaction: locks, the question of eligibility, the posting.
//! * [`payments`]: the payment providers: play money, and one that calls back with a signature.
//! * [`bus`]: the consumers of other services' events, one handler a source.
//! * [`store`]: the log and the tables on Postgres.
//! * [`grpc`]: the calls of players and operators.
//! * [`sealing`]: the hash chain over the log, sealed in the background.
//! * [`invariants`]: what must always be true, checked all the time; [`ledger_verify`]: everything once more, from the log.
//! * [`prizes`]: letting go of prizes that fair play had asked to withhold; [`victims`]: paying what players lost to cheats.
//! * [`bench`]: how many settlements a second.
//! * [`config`], [`telemetry`]: settings and metrics.
//!
//! # Invariants
//! * `WALLET-1` Event, entries, balances and statement lines of a decision are one transaction, that of the consumer's inbox.
//! * `WALLET-2` Each step of a match (hold, cancel, pay, refund) has one id, derived from the match; the digest of its input
//!   and its first outcome are kept, refusals too. The same again changes nothing, another input is refused.
//! * `WALLET-3` A match's stakes are held once at most, and then paid or refunded once. What contradicts that changes nothing
//!   and waits for a person among the dead letters. A cancelled match can never be held.
//! * `WALLET-4` No balance of a player is below zero; the database checks it too.
//! * `WALLET-5` Balances are locked in the order of their key, behind the lock of the match: no two transactions wait for each
//!   other crosswise.
//! * `WALLET-6` Every balance, entry and open hold can be recomputed from the log, and the first difference is named.
//! * `WALLET-7` Play money is given in development only.
//! * `WALLET-8` A player sees his own money only.
//! * `WALLET-9` Every event is chained by hash to the one sealed before it; a byte that changed in the log is named by the check.
//! * `WALLET-10` What does not add up is counted and named within a minute or two, and stops nobody else's money.
//! * `WALLET-11` Several settlements may share a transaction; one that is refused changes nothing and fails no other.
//! * `WALLET-12` A command is done once for each request id of its caller, and a provider's word once for each of its events.
//! * `WALLET-13` Nothing booked is changed: a mistake is corrected by new entries, with who did it and why; above a limit by two.
//!
//! * `WALLET-14` While fair play holds a player's prizes, what he wins beyond his own stake is withheld in the transaction that pays
//!   the pot, and is his when the hold ends, after 72 hours at the latest. Stakes and refunds never are withheld.
//! * `WALLET-15` A stake lost to somebody against whom a case was decided is refunded by the house's fund, once a match whatever cases
//!   there are and however often they are told. What the fund does not cover is owed, visible to the operator, and paid when it does. A
//!   decision that is taken back takes nothing from anybody who was paid.
//!
//! # Deliberately absent
//! * A clock for holds: only a match or a game ends one.
//! * A balance row of the house's fees: every settlement would wait for it. Its fund has one, which restitutions alone touch.
//! * Conversion between currencies.
//! * Where a player is at this moment: the region is that of the verified identity.

pub mod app;
pub mod bench;
pub mod bus;
pub mod cashier;
pub mod config;
pub mod grpc;
pub mod invariants;
pub mod ledger_verify;
pub mod payments;
pub mod prizes;
pub mod sealing;
pub mod store;
pub mod telemetry;
pub mod victims;

use std::net::SocketAddr;
use std::sync::Arc;

use event_bus::{Bus, CommitSignal, ConsumerConfig, Handler, Relay};
use service_kit::server::{Bound, Server, listen};
use service_kit::tasks::Tasks;
use service_kit::{RunError, database};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

pub use config::Config;

/// The service's name.
pub const SERVICE: &str = "wallet";

/// The service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/wallet");

/// Transactions in which settlements are made at once.
pub const GAME_LANES: usize = 2;

/// A service that has its database, its broker and its ports.
pub struct Started {
    bound: Bound,
    payments_address: Option<SocketAddr>,
    tasks: Tasks,
    pool: PgPool,
    shutdown: CancellationToken,
}

/// Runs the service until `shutdown`.
///
/// # Errors
/// When it cannot start or not go on.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    start(config, shutdown).await?.serve().await
}

/// Opens everything and starts the background tasks.
///
/// # Errors
/// When the database, the broker, the key or a port cannot be had.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Started, RunError> {
    telemetry::describe();
    let pool = database::open(&config.common, SERVICE, &MIGRATOR).await?;
    let bus = event_bus::connect(&config.common.nats_url, SERVICE).await?;
    let signal = CommitSignal::new();
    let desk = Arc::new(config.desk());
    let service = grpc::Service::new(pool.clone(), desk.clone(), signal.clone(), shutdown.clone());
    let server = Server::new(&config.common)?;
    let operators = operator::Desk::new(SERVICE, &config.common, &pool, &bus, server.readiness());
    let server = server.add(service.server()).add(service.admin_server()).add(service.ledger_server());
    let bound = server.add(operators.server()).bind().await?;
    let mut background = Background {
        tasks: Tasks::new(shutdown.clone()),
        pool: pool.clone(),
        bus,
        signal,
        shutdown: shutdown.clone(),
    };
    background.relay();
    let payments_address = background.take_provider_calls(&config).await?;
    background.watch_over_the_ledger();
    background.follow(
        ConsumerConfig::new(bus::players::CONSUMER, "gateway", "player"),
        bus::players::PlayerHandler::new(config.opening_deposit()),
    );
    background.follow(
        ConsumerConfig::new(bus::matches::CONSUMER, "matchmaking", "match"),
        bus::matches::MatchHandler::new(bus::matches::ACCOUNT_PATIENCE, OffsetDateTime::now_utc())
            .with_policy(desk.policy.clone()),
    );
    background
        .follow(ConsumerConfig::new(bus::prizes::CONSUMER, "fairplay", "player"), bus::prizes::PrizeHandler);
    background.follow(
        ConsumerConfig::new(bus::cases::CONSUMER, "fairplay", "player"),
        bus::cases::CaseHandler { policy: config.restitution_policy() },
    );
    background.follow(
        // Few lanes, so that what ends at once is settled in few transactions.
        ConsumerConfig {
            lanes: GAME_LANES,
            in_flight_max: GAME_LANES * bus::settle::BATCH_ORDERS_MAX,
            ..ConsumerConfig::new(bus::games::CONSUMER, "game", "game")
        },
        bus::games::GameHandler,
    );
    Ok(Started { bound, payments_address, tasks: background.tasks, pool, shutdown })
}

/// The tasks that run beside the server, and what they are given.
struct Background {
    tasks: Tasks,
    pool: PgPool,
    bus: Bus,
    signal: CommitSignal,
    shutdown: CancellationToken,
}

impl Background {
    fn relay(&mut self) {
        let relay = Relay::run(
            self.pool.clone(),
            self.bus.clone(),
            SERVICE,
            self.signal.clone(),
            self.shutdown.clone(),
        );
        self.tasks.spawn("relay", returning(relay));
    }

    /// Takes the calls of the payment provider at a port of their own: it is open to the provider only.
    async fn take_provider_calls(&mut self, config: &Config) -> Result<Option<SocketAddr>, RunError> {
        let (Some(provider), Some(address)) = (config.webhook(), config.desk.payment_webhook_address) else {
            return Ok(None);
        };
        let listener = listen(address).await?;
        let taken = listener.local_addr().ok();
        let endpoint =
            payments::webhook::Endpoint { pool: self.pool.clone(), signal: self.signal.clone(), provider };
        self.tasks.spawn("payments", returning(endpoint.serve(listener, self.shutdown.clone())));
        Ok(taken)
    }

    fn watch_over_the_ledger(&mut self) {
        let sealing = sealing::run(self.pool.clone(), self.shutdown.clone());
        self.tasks.spawn("sealing", returning(sealing));
        let invariants = invariants::run(self.pool.clone(), self.shutdown.clone());
        self.tasks.spawn("invariants", returning(invariants));
        let prizes = prizes::run(self.pool.clone(), self.signal.clone(), self.shutdown.clone());
        self.tasks.spawn("prizes", returning(prizes));
        let victims = victims::run(self.pool.clone(), self.signal.clone(), self.shutdown.clone());
        self.tasks.spawn("victims", returning(victims));
    }

    fn follow<H: Handler>(&mut self, config: ConsumerConfig, handler: H) {
        let name = config.name;
        let consumer = event_bus::run_consumer(
            self.pool.clone(),
            self.bus.clone(),
            config,
            handler,
            self.signal.clone(),
            self.shutdown.clone(),
        );
        self.tasks.spawn(name, returning(consumer));
    }
}

impl Started {
    /// Where gRPC is served.
    #[must_use]
    pub fn grpc_address(&self) -> SocketAddr {
        self.bound.grpc_address()
    }

    /// Where the payment provider calls, if one does.
    #[must_use]
    pub fn payments_address(&self) -> Option<SocketAddr> {
        self.payments_address
    }

    /// The service's database.
    #[must_use]
    pub fn pool(&self) -> PgPool {
        self.pool.clone()
    }

    /// Serves until the shutdown, then waits for the background tasks.
    ///
    /// # Errors
    /// When the server fails or a task ended too early.
    pub async fn serve(self) -> Result<(), RunError> {
        let served = self.bound.run(self.shutdown.clone()).await;
        self.shutdown.cancel();
        let joined = self.tasks.join().await;
        self.pool.close().await;
        served?;
        joined?;
        Ok(())
    }
}

async fn returning(task: impl Future<Output = ()>) -> Result<(), std::convert::Infallible> {
    task.await;
    Ok(())
}
