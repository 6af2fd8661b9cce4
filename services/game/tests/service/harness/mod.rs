//! A running service with everything around it.

mod caller;
mod matchmaking;

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use game::{
    Config,
    app::{Clock, ManualClock},
};
use proto::{game::v1 as pb, matchmaking::v1::MatchProposed, types::v1::TimeControl};
use service_kit::{
    RunError,
    auth::{ISSUER, KeyPair, Role, Roles, Signer, Subject},
    config::{CommonConfig, Environment},
};
use sqlx::PgPool;
use test_kit::{Nats, TestDatabase};
use tokio::{runtime::Runtime, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tonic::transport::Endpoint;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use uuid::Uuid;

pub use caller::{Caller, Player, bad_fields, reason, reason_metadata};
pub use matchmaking::{Matchmaking, proposal};

/// When every test begins.
pub const NOON_MS: i64 = 1_760_000_000_000;
/// How long a test waits for what has to come.
pub const PATIENCE: Duration = Duration::from_secs(30);
const TOKEN_LIFETIME: Duration = Duration::from_secs(600);

/// A running service with everything around it.
pub struct Stand {
    pub clock: ManualClock,
    pub database: TestDatabase,
    pub matchmaking: Matchmaking,
    pub nats: Nats,
    signer: Signer,
    pub config: Config,
    service: Option<Running>,
    others: Vec<Running>,
    // Keeps the key file until the end.
    _folder: tempfile::TempDir,
}

struct Running {
    /// A runtime of its own, so that it can die as a process does: at once, with all its tasks.
    runtime: Runtime,
    address: SocketAddr,
    shutdown: CancellationToken,
    life: JoinHandle<Result<(), RunError>>,
}

/// A game between two players who have signed in.
#[derive(Clone, Debug)]
pub struct Table {
    pub game_id: Uuid,
    pub match_id: Uuid,
    pub white: Player,
    pub black: Player,
}

impl Stand {
    pub async fn start(name: &str) -> Stand {
        Stand::start_in(name, Environment::Development).await
    }

    pub async fn start_in(name: &str, environment: Environment) -> Stand {
        let server = test_kit::postgres().await;
        let database = server.database(name).await;
        let nats = test_kit::own_nats().await;
        let matchmaking = Matchmaking::start(&server.database("matchmaking").await, &nats.url()).await;
        let folder = tempfile::tempdir().expect("a folder");
        let (signer, key_file) = keys(&folder);
        let mut common = CommonConfig::development(&database.url, &nats.url(), &key_file);
        common.environment = environment;
        // The same after a restart, so that nobody waits for the end of the one before.
        let config = Config { instance: "stand".to_owned(), ..Config::from(common) };
        let clock = ManualClock::at(NOON_MS);
        let service = Some(Running::start(&config, clock.clone()).await);
        Stand {
            clock,
            database,
            matchmaking,
            nats,
            signer,
            config,
            service,
            others: Vec::new(),
            _folder: folder,
        }
    }

    pub fn caller(&self) -> Caller {
        let running = self.service.as_ref().expect("the service runs");
        Caller::connect(running.address)
    }

    /// Starts another instance beside the first, and answers its number.
    pub async fn join(&mut self) -> usize {
        let instance = format!("other-{}", self.others.len());
        let config = Config { instance, ..self.config.clone() };
        self.others.push(Running::start(&config, self.clock.clone()).await);
        self.others.len() - 1
    }

    /// A client of another instance.
    pub fn caller_of(&self, other: usize) -> Caller {
        Caller::connect(self.others[other].address)
    }

    /// Stops the last of the others as an orchestrator does.
    pub async fn stop_other(&mut self) -> Result<(), RunError> {
        self.others.pop().expect("another runs").stop().await
    }

    /// Ends the last of the others as a crash does.
    pub fn crash_other(&mut self) {
        self.others.pop().expect("another runs").runtime.shutdown_background();
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    pub fn pool(&self) -> &PgPool {
        &self.database.pool
    }

    pub fn player(&self, name: &str) -> Player {
        let player_id = Uuid::new_v4();
        Player { player_id, name: name.to_owned(), token: self.token(player_id, name, TOKEN_LIFETIME) }
    }

    /// A computer player.
    pub fn computer(&self, name: &str) -> Player {
        let player_id = Uuid::new_v4();
        let subject = Subject { player_id, name, roles: Roles::of(&[Role::Computer]) };
        let token = self.signer.sign(&subject, std::time::SystemTime::now(), TOKEN_LIFETIME);
        Player { player_id, name: name.to_owned(), token: token.expect("signed").text }
    }

    /// The same player with a token that has ended.
    pub fn expired(&self, player: &Player) -> Player {
        let subject =
            Subject { player_id: player.player_id, name: &player.name, roles: Roles::of(&[Role::Player]) };
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(3_600);
        let token = self.signer.sign(&subject, long_ago, Duration::from_secs(60)).expect("signed").text;
        Player { token, ..player.clone() }
    }

    /// A game at 3 + 2 that has just begun.
    pub async fn table(&self) -> Table {
        let table = self.seats();
        self.matchmaking.confirm(&proposal(&table)).await;
        self.begun(&table).await;
        table
    }

    /// A game of another rule set that has just begun.
    pub async fn table_of(&self, rule_set: &str, time_control: Option<TimeControl>) -> Table {
        let table = self.seats();
        let proposed = proposal(&table);
        self.matchmaking
            .confirm(&MatchProposed { rule_set: rule_set.to_owned(), time_control, ..proposed })
            .await;
        self.begun(&table).await;
        table
    }

    /// Two players and the ids of a game that does not exist yet.
    pub fn seats(&self) -> Table {
        Table {
            game_id: Uuid::now_v7(),
            match_id: Uuid::now_v7(),
            white: self.player("Ada"),
            black: self.player("Ben"),
        }
    }

    /// Waits until the game is there.
    pub async fn begun(&self, table: &Table) {
        let caller = self.caller();
        test_kit::eventually(PATIENCE, || {
            let caller = caller.clone();
            let game_id = table.game_id;
            async move { caller.try_game(game_id).await.ok() }
        })
        .await;
    }

    /// Plays moves in turn, each after `think_ms`, and answers the last.
    pub async fn play(&self, table: &Table, moves: &str, think_ms: i64) -> pb::PlayMoveResponse {
        let caller = self.caller();
        let first = caller.game(table.game_id).await.moves.len();
        let mut last = None;
        for (uci, plies_seen) in moves.split_whitespace().zip(first..) {
            self.clock.advance(think_ms);
            let mover = if plies_seen % 2 == 0 { &table.white } else { &table.black };
            let seen = u32::try_from(plies_seen).expect("a short game");
            let played = caller.play(mover, table.game_id, uci, seen).await;
            last = Some(played.unwrap_or_else(|status| panic!("{uci} at ply {plies_seen}: {status:?}")));
        }
        last.expect("at least one move")
    }

    /// Waits until the game has ended.
    pub async fn ended(&self, table: &Table) -> pb::Game {
        let caller = self.caller();
        test_kit::eventually(PATIENCE, || {
            let caller = caller.clone();
            let game_id = table.game_id;
            async move {
                let game = caller.game(game_id).await;
                (game.status() != pb::GameStatus::Live).then_some(game)
            }
        })
        .await
    }

    /// How many events of these kinds the game's log has.
    pub async fn logged(&self, table: &Table, kinds: &[&str]) -> i64 {
        let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        sqlx::query_scalar("select count(*) from events where stream_id = $1 and type = any($2)")
            .bind(table.game_id)
            .bind(kinds)
            .fetch_one(self.pool())
            .await
            .expect("the log can be read")
    }

    /// Stops the service as an orchestrator does. Answers what it ended with.
    pub async fn stop(&mut self) -> Result<(), RunError> {
        self.service.take().expect("the service runs").stop().await
    }

    /// Asks the service to stop and does not wait for it.
    pub fn ask_to_stop(&self) {
        self.service.as_ref().expect("the service runs").shutdown.cancel();
    }

    /// Ends the service as a crash does: no task gets another turn.
    pub fn crash(&mut self) {
        let running = self.service.take().expect("the service runs");
        running.runtime.shutdown_background();
    }

    /// Starts the service again on the same database.
    pub async fn start_again(&mut self) {
        self.service = Some(Running::start(&self.config, self.clock.clone()).await);
    }

    fn token(&self, player_id: Uuid, name: &str, lifetime: Duration) -> String {
        let subject = Subject { player_id, name, roles: Roles::of(&[Role::Player]) };
        self.signer.sign(&subject, std::time::SystemTime::now(), lifetime).expect("signed").text
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        for running in self.service.take().into_iter().chain(self.others.drain(..)) {
            // A runtime must not be dropped where it would block.
            running.runtime.shutdown_background();
        }
    }
}

impl Running {
    async fn stop(self) -> Result<(), RunError> {
        self.shutdown.cancel();
        let ended = self.life.await.expect("the service does not panic");
        self.runtime.shutdown_background();
        ended
    }

    async fn start(config: &Config, clock: ManualClock) -> Running {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let shutdown = CancellationToken::new();
        let (config, token) = (config.clone(), shutdown.clone());
        let starting = tokio::task::spawn_blocking(move || {
            let started = runtime.block_on(game::start(config, Arc::new(clock), token));
            started.map(|(address, life)| (runtime, address, life)).map_err(|error| error.to_string())
        });
        let (runtime, address, life) =
            starting.await.expect("the start does not panic").expect("the service starts");
        let life = runtime.spawn(life);
        ready(address).await;
        Running { runtime, address, shutdown, life }
    }
}

/// Waits until the service says that it takes calls: until it owns its part of the games.
async fn ready(address: SocketAddr) {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    let client = HealthClient::new(endpoint.connect_lazy());
    test_kit::eventually(PATIENCE, || {
        let mut client = client.clone();
        async move {
            let answer = client.check(HealthCheckRequest::default()).await.ok()?.into_inner();
            (answer.status() == ServingStatus::Serving).then_some(())
        }
    })
    .await;
}

/// A key pair, its public half in a file.
pub fn keys(folder: &tempfile::TempDir) -> (Signer, PathBuf) {
    let pair = KeyPair::generate();
    let file = folder.path().join("public.pem");
    std::fs::write(&file, &pair.public_pem).expect("the key is written");
    (Signer::from_pem(pair.private_pem.as_bytes(), ISSUER).expect("a good key"), file)
}
