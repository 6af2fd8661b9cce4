//! Matchmaking with everything around it.

pub mod referee;
pub mod seeker;
pub mod story;

use std::time::Duration;

use matchmaking::{Config, SERVICE};
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::matchmaking::v1::{City, LeaveQueueRequest, ListCitiesRequest};
use service_kit::RunError;
use sqlx::PgPool;
use test_kit::{Nats, Redis, TestDatabase, eventually};
use test_peer::{Instance, Keys, Listener, PATIENCE, Peer, Visitor};
use tonic::transport::Channel;
use uuid::Uuid;

pub use referee::Referee;
pub use seeker::{Ask, Seeker};

/// KIT-5: a service stops within ten seconds; one more for a busy machine.
const STOP_MAX: Duration = Duration::from_secs(11);

/// The service between its neighbours.
pub struct World {
    pub fairplay: Peer,
    pub wallet: Peer,
    pub game: Peer,
    pub rating: Peer,
    /// Hears what matchmaking says.
    pub matchmaking: Listener,
    pub keys: Keys,
    database: TestDatabase,
    nats: Nats,
    redis: Redis,
    instance: Option<Instance>,
}

impl World {
    pub async fn start() -> Self {
        let (nats, redis) = tokio::join!(test_kit::own_nats(), test_kit::own_redis());
        let url = nats.url();
        let (fairplay, wallet, game, rating, matchmaking) = tokio::join!(
            Peer::start("fairplay", &url),
            Peer::start("wallet", &url),
            Peer::start("game", &url),
            Peer::start("rating", &url),
            Listener::start(SERVICE, &url),
        );
        let database = test_kit::postgres().await.database(SERVICE).await;
        let keys = Keys::new();
        let mut world =
            Self { fairplay, wallet, game, rating, matchmaking, keys, database, nats, redis, instance: None };
        world.start_again().await;
        world
    }

    /// Starts the service, again on the same database.
    pub async fn start_again(&mut self) {
        assert!(self.instance.is_none(), "one instance of this world runs");
        self.instance = Some(self.another().await);
    }

    /// One more instance on the same database and broker.
    pub async fn another(&self) -> Instance {
        let common = self.keys.settings(&self.database.url, &self.nats.url());
        let config = Config { common, redis_url: self.redis.url() };
        Instance::start(|shutdown| async {
            let started = matchmaking::start(config, shutdown).await?;
            Ok((started.grpc_address(), started.serve()))
        })
        .await
    }

    /// Where Redis is.
    pub fn redis_url(&self) -> String {
        self.redis.url()
    }

    /// Kills Redis; what it held is gone.
    pub fn kill_redis(&mut self) {
        self.redis.process().expect("it runs").kill();
    }

    /// Starts Redis again, empty, at the same address.
    pub fn restart_redis(&mut self) {
        self.redis.start().expect("it starts again");
    }

    /// Ends the service as a crash does.
    pub fn crash(&mut self) {
        self.instance.take().expect("the service runs").crash();
    }

    /// Asks the service to stop, and does not wait.
    pub fn ask_to_stop(&self) {
        self.instance.as_ref().expect("the service runs").ask_to_stop();
    }

    /// Stops the service as an orchestrator does.
    pub async fn stop(&mut self) -> Result<(), RunError> {
        self.instance.take().expect("the service runs").stop(STOP_MAX).await
    }

    pub fn client(&self) -> Client {
        Client::of(self.instance.as_ref().expect("the service runs"))
    }

    /// A channel to the service, for its other interfaces.
    pub fn channel(&self) -> Channel {
        self.instance.as_ref().expect("the service runs").channel()
    }

    pub fn pool(&self) -> &PgPool {
        &self.database.pool
    }

    pub fn player(&self, name: &str) -> Visitor {
        self.keys.player(name)
    }

    /// Queues a player in Paris at 3+2 and waits until he searches.
    pub async fn searching(&self, player: &Visitor) -> Seeker {
        let mut seeker = self.client().join(player, &Ask::new()).await.expect("he may queue");
        seeker.searching().await;
        seeker
    }

    /// Two players who have been proposed to each other.
    pub async fn proposed(&self) -> Pair {
        let (ada, ben) = (self.player("Ada"), self.player("Ben"));
        let mut first = self.searching(&ada).await;
        let mut second = self.client().join(&ben, &Ask::new()).await.expect("he may queue");
        let match_id = first.securing().await;
        assert_eq!(second.securing().await, match_id);
        Pair { match_id, first, second }
    }

    /// Waits until the projection has the match in this status.
    pub async fn until_status(&self, match_id: Uuid, status: &str) {
        eventually(PATIENCE, || async {
            let found: Option<String> = sqlx::query_scalar("select status from matches where match_id = $1")
                .bind(match_id)
                .fetch_optional(self.pool())
                .await
                .expect("the database answers");
            (found.as_deref() == Some(status)).then_some(())
        })
        .await;
    }

    /// The matches in which a player ever sat.
    pub async fn matches_of(&self, player: &Visitor) -> Vec<Uuid> {
        sqlx::query_scalar(
            "select match_id from matches where white_id = $1 or black_id = $1 order by match_id",
        )
        .bind(player.player_id)
        .fetch_all(self.pool())
        .await
        .expect("the database answers")
    }

    /// Waits until so many tickets wait in a city.
    pub async fn until_waiting(&self, city_id: &str, count: u32) {
        eventually(PATIENCE, || async { (self.client().city(city_id).await.waiting == count).then_some(()) })
            .await;
    }
}

/// Two players in one match, the one who queued first and the other.
pub struct Pair {
    pub match_id: Uuid,
    pub first: Seeker,
    pub second: Seeker,
}

impl Pair {
    /// Both hear that the match came to nothing.
    pub async fn failed(&mut self) -> (Failure, Failure) {
        let failures = (self.first.failed().await, self.second.failed().await);
        assert_eq!((failures.0.0, failures.1.0), (self.match_id, self.match_id));
        failures
    }
}

/// The match that failed, and why.
pub type Failure = (Uuid, proto::matchmaking::v1::CancelReason);

/// Calls one instance.
#[derive(Clone)]
pub struct Client {
    pub grpc: MatchmakingServiceClient<Channel>,
}

impl Client {
    pub fn of(instance: &Instance) -> Self {
        Self { grpc: MatchmakingServiceClient::new(instance.channel()) }
    }

    pub async fn join(&self, player: &Visitor, ask: &Ask) -> Result<Seeker, tonic::Status> {
        let request = player.request(ask.request());
        let frames = self.grpc.clone().join_queue(request).await?.into_inner();
        Ok(Seeker::new(player.clone(), *ask, frames))
    }

    /// Whether there was something to leave.
    pub async fn leave(&self, player: &Visitor) -> bool {
        self.leave_answer(player).await.expect("leaving is answered")
    }

    /// The same, or why it cannot be said.
    pub async fn leave_answer(&self, player: &Visitor) -> Result<bool, tonic::Status> {
        let message = LeaveQueueRequest { request_id: Uuid::now_v7().to_string() };
        Ok(self.grpc.clone().leave_queue(player.request(message)).await?.into_inner().left)
    }

    /// A city with its counts; asked without a token, as anybody may.
    pub async fn city(&self, city_id: &str) -> City {
        self.find_city(city_id).await.expect("the city is listed")
    }

    /// The same, if it is listed.
    pub async fn find_city(&self, city_id: &str) -> Option<City> {
        let answer = self.grpc.clone().list_cities(ListCitiesRequest {}).await.expect("cities are listed");
        let mut cities = answer.into_inner().cities.into_iter();
        cities.find(|city| city.city_id == city_id)
    }
}
