//! The game service: staked games with legal moves, the authoritative clock, and a log that proves every result.
//!
//! # Map
//!
//! * `app`: the use cases. An owner task a live game (`owner`), who owns what (`registry`), which shards are ours and under which lease (`shards`, `holdings`, `keeper`, `leases`), the front (`games`), the other instances (`peers`), following a
//!   game (`watch`), tables (`table`, `tables`), who is at the board and how far away (`attendance`, `presence`), and the ports to log and time (`journal`, `clock`).
//! * `store`: the log of games and the list of them on Postgres, and the codec of events.
//! * `bus`: confirmed matches become games; ratings, by which the best running game is found; what instances say to each other.
//! * `instance`: this process among the others: its name, its leases, what it says and hears.
//! * `grpc`: the rpcs, one file each.
//! * `score_sheet`: games as PGN.
//! * `wire`: the words that log and edge share with the domain.
//! * `metrics`: the service's figures.
//!
//! # Invariants
//!
//! * GAME-1 A move is acknowledged, told to watchers and taken into the owner's memory only after it is on disk. What could
//!   not be written has not happened: the caller hears UNAVAILABLE, and the owner reads the log before it goes on.
//! * GAME-2 A game has at most one owner in a process, and its shard one owner among the processes: the database refuses what is written
//!   under an epoch that is over, and the log's expected version whatever else there may be.
//! * GAME-3 A confirmed match becomes exactly one game, whatever the bus delivers.
//! * GAME-4 A request id gets one answer: the first, from memory or from the log, also after a restart and after the end.
//!   With another body it is refused: a move in the log says itself what was asked for, any other event has the request's fingerprint as its id.
//! * GAME-5 A stream gives every event of the log after its start once, in order, without a gap; a slow reader is never
//!   skipped and never told a clean end before the game's.
//! * GAME-6 A stop of the service costs no player time and ends no game: the first event after it says how long the game
//!   stood still. A planned hand-over to another instance is such a stop, and so is a lease that ran out.
//! * GAME-7 Every stored event can be read for ever; its bytes are pinned by tests.
//! * GAME-8 A game ends once: its last event, its row in the list and its message to the others are one transaction.
//! * GAME-9 Only the two players act in a game; anybody may watch it.
//! * GAME-10 Mailboxes, buffers, pages, watchers and replays have limits with names.
//! * GAME-11 A player's open stream is his presence. That he went and came back stands in the log; a stop of the service is
//!   nobody's going.
//! * GAME-12 A move is credited what was measured of its player's network and is believed, never what a client says.
//! * GAME-13 A game at a table begins in the transaction of the table's event; of two crossing offers one game comes. Nothing is
//!   staked at a table, and nothing is rated there once a computer has sat down.
//! * GAME-14 A packed game gives back every event of its log byte for byte; what would not is not packed.
//! * GAME-15 A request reaches the owner of its game from any instance, once: who waits while a game changes hands is answered by the next
//!   owner, or told UNAVAILABLE and when to ask again.
//! * GAME-16 A stream at any instance gives the same events: what the broker loses between instances is found in the log within seconds.
//!
//! # Deliberately absent
//!
//! * Moves on the bus. They stay in the log; the event that ends a game carries them all.
//! * Snapshots: games are short, and a log is replayed in well under a millisecond.
//! * Ratings, money and verdicts: other services make them of `GameEnded`. What is known of ratings here decides nothing but which
//!   running game is shown to everybody.

pub mod app;
mod bus;
pub mod config;
mod grpc;
mod instance;
mod metrics;
mod score_sheet;
pub mod store;
mod wire;

use std::{sync::Arc, time::Duration};

use event_bus::{Bus, ConsumerConfig, Relay, ensure_stream, run_consumer};
use event_store::{CommitSignal, GroupCommit, GroupCommitConfig};
use proto::game::v1::{game_service_server::GameServiceServer, table_service_server::TableServiceServer};
use service_kit::{
    RunError, database,
    server::{Bound, Server},
    tasks::Tasks,
};
use sqlx::{PgPool, migrate::Migrator};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use app::{Clock, Games, Holdings, Journal, ScaledGames, SystemClock, Tables, WatchLimits};
pub use config::Config;
use store::{Featured, OpenTables};

/// The service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/game");

/// A table where nothing has happened for so long is closed.
const TABLE_IDLE_MS_MAX: i64 = 30 * 60 * 1_000;
/// How often such tables are looked for.
const CLOSE_IDLE_TABLES_EVERY: Duration = Duration::from_secs(60);
/// The durable name of the consumer of matches.
const MATCHES_CONSUMER: &str = "game_matches";
/// That of the consumer of ratings.
const RATINGS_CONSUMER: &str = "game_ratings";
/// How often live games without an owner are looked for. A hint that got lost is made good so late at most.
const TAKE_UP_EVERY: Duration = Duration::from_secs(15);
/// How often it is looked for games that have ended and are not packed.
const PACK_EVERY: Duration = Duration::from_secs(30);

/// Runs the service until `shutdown` is cancelled.
///
/// # Errors
/// When it cannot start, or a part of it fails for good.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    let (_, serving) = start(config, Arc::new(SystemClock::start()), shutdown).await?;
    serving.await
}

/// Starts the service with a clock of the caller's choice, and answers where it listens and the rest of its life. Tests
/// use it to know the port and to turn the clock.
///
/// # Errors
/// As [`run`].
pub async fn start(
    config: impl Into<Config>,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) -> Result<(std::net::SocketAddr, impl Future<Output = Result<(), RunError>> + Send), RunError> {
    let config: Config = config.into();
    let common = &config.common;
    metrics::describe();
    let pool = database::open(common, store::SERVICE, &MIGRATOR).await?;
    let bus = event_bus::connect(&common.nats_url, store::SERVICE).await?;
    ensure_stream(&bus, store::SERVICE).await?;
    let (parts, post) = Parts::new(&pool, &bus, clock);
    let (open, open_tables) = watch::channel(OpenTables::default());
    let (best, featured) = watch::channel(Featured::default());
    let service = grpc::Service::new(
        parts.games.clone(),
        pool.clone(),
        open_tables.clone(),
        featured,
        shutdown.clone(),
    );
    let pg_tables = store::PgTables::new(pool.clone(), parts.signal.clone());
    let tables = Tables::new(Arc::new(pg_tables.clone()), parts.games.clone());
    let desk = grpc::TableDesk::new(
        tables.clone(),
        parts.games.clone(),
        pool.clone(),
        open_tables,
        shutdown.clone(),
    );
    let server = Server::new(common)?;
    let readiness = server.readiness();
    let operators = operator::Desk::new(store::SERVICE, common, &pool, &bus, readiness.clone());
    let server = server
        .add(GameServiceServer::new(service))
        .add(TableServiceServer::new(desk))
        .add(operators.server());
    let bound = server.bind().await?;
    let address = bound.grpc_address();
    let scaled = if common.is_production() { ScaledGames::Refused } else { ScaledGames::Allowed };
    let mut tasks = Tasks::new(shutdown.clone());
    let (signal, stop) = (parts.signal.clone(), shutdown.clone());
    let relay = Relay::run(pool.clone(), bus.clone(), store::SERVICE, signal.clone(), stop.clone());
    tasks.spawn("relay", relay);
    tasks.spawn("post", post.run(parts.journal.clone(), parts.owners_stop.clone()));
    let me = instance::of(&config, address);
    let life = instance::Life { me, lease: config.lease(), games: &parts.games, pool: &pool, bus: &bus };
    let talk = instance::spawn(&mut tasks, life, readiness, &stop);
    tasks.spawn("table notices", instance::tell_of_tables(pg_tables.written(), talk.say, stop.clone()));
    let tables_elsewhere = talk.tables;
    tasks
        .spawn("tables", store::follow_tables(pool.clone(), pg_tables, open, tables_elsewhere, stop.clone()));
    tasks.spawn("featured", store::follow_featured(pool.clone(), best, stop.clone()));
    tasks.spawn("idle tables", close_idle_tables(tables, parts.games.clone(), stop.clone()));
    tasks.spawn("packing", pack_games(pool.clone(), stop.clone()));
    tasks.spawn("stragglers", take_up_games(parts.games.clone(), stop.clone()));
    let (for_ratings, ratings) = (pool.clone(), ConsumerConfig::new(RATINGS_CONSUMER, "rating", "game"));
    let ratings = run_consumer(for_ratings, bus.clone(), ratings, bus::Ratings, signal.clone(), stop.clone());
    tasks.spawn("ratings", ratings);
    let consumer = ConsumerConfig::new(MATCHES_CONSUMER, "matchmaking", "match");
    let matches = bus::Matches::new(parts.games.clone(), scaled);
    tasks.spawn("matches", run_consumer(pool, bus, consumer, matches, signal, stop));
    Ok((address, live(bound, parts, tasks, shutdown)))
}

/// What the other parts are wired to, and what stops after them.
struct Parts {
    games: Games,
    journal: Arc<dyn Journal>,
    signal: CommitSignal,
    writers: GroupCommit,
    owners_stop: CancellationToken,
    writers_stop: CancellationToken,
}

impl Parts {
    fn new(pool: &PgPool, bus: &Bus, clock: Arc<dyn Clock>) -> (Parts, bus::Post) {
        let signal = CommitSignal::new();
        let (owners_stop, writers_stop) = (CancellationToken::new(), CancellationToken::new());
        let config = GroupCommitConfig { signal: signal.clone(), ..GroupCommitConfig::default() };
        let writers = GroupCommit::start(pool.clone(), config, store::SERVICE, writers_stop.clone());
        let journal: Arc<dyn Journal> =
            Arc::new(store::PgJournal::new(pool.clone(), writers.clone(), signal.clone()));
        let (peers, post) = bus::NatsPeers::new(bus.client().clone());
        let holdings = Holdings::none(owners_stop.clone());
        let limits = WatchLimits::default();
        let games = Games::among(journal.clone(), clock, limits, holdings, peers, owners_stop.clone());
        (Parts { games, journal, signal, writers, owners_stop, writers_stop }, post)
    }
}

/// Serves, and stops in the order in which the parts need each other. Shards are handed over as soon as the stop begins, while the calls
/// that are under way find their way to the new owners; then calls, owners, writers, the rest.
async fn live(bound: Bound, parts: Parts, tasks: Tasks, shutdown: CancellationToken) -> Result<(), RunError> {
    let served = bound.run(shutdown.clone()).await;
    // Also when the server ended by itself.
    shutdown.cancel();
    parts.owners_stop.cancel();
    parts.games.stopped().await;
    parts.writers_stop.cancel();
    parts.writers.stopped().await;
    tasks.join().await?;
    Ok(served?)
}

/// Closes tables that nobody has come to for long.
async fn close_idle_tables(tables: Tables, games: Games, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(CLOSE_IDLE_TABLES_EVERY) => {}
        }
        if let Err(error) = tables.close_idle(games.now_ms() - TABLE_IDLE_MS_MAX).await {
            tracing::warn!(%error, "idle tables could not be closed");
        }
    }
}

/// Gives owners to live games of this instance's shards whose owner did not come to be.
async fn take_up_games(games: Games, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(TAKE_UP_EVERY) => {}
        }
        if let Err(error) = games.take_up_all().await {
            tracing::warn!(%error, "live games could not be looked for");
        }
    }
}

/// Packs finished games, a round after the other while there are some.
async fn pack_games(pool: sqlx::PgPool, shutdown: CancellationToken) {
    loop {
        let pause = match store::archive::pack_ended(&pool).await {
            Ok(round) if round.looked_at == store::archive::GAMES_PER_ROUND_MAX => Duration::ZERO,
            Ok(_) => PACK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "finished games could not be packed, trying again");
                PACK_EVERY
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}
