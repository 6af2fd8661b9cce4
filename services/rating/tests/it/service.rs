//! The whole service: a broker, the game service, and callers.

use std::time::Duration;

use domain_glicko::{Rating, RawRating, after_idle_days};
use event_store::StreamId;
use prost::Message as _;
use proto::game::v1::{GameEnded, GameResult, GameStarted};
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::{
    GetRatingsRequest, ListRatingHistoryRequest, ListRatingHistoryResponse, Rating as WireRating,
};
use rating::Config;
use test_kit::{Nats, TestDatabase, eventually};
use test_peer::Peer;
use time::OffsetDateTime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;

use crate::support::{Game, everything, settings};

/// Generous: two cores may be shared with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    nats: Nats,
    database: TestDatabase,
    game: Peer,
}

struct Service {
    client: RatingServiceClient<Channel>,
    shutdown: CancellationToken,
    serving: JoinHandle<Result<(), service_kit::RunError>>,
}

impl World {
    async fn new() -> Self {
        let nats = test_kit::own_nats().await;
        Self {
            database: test_kit::postgres().await.database("rating").await,
            game: Peer::start("game", &nats.url()).await,
            nats,
        }
    }

    async fn start(&self) -> Service {
        let common = settings(&self.database.url, &self.nats.url());
        let shutdown = CancellationToken::new();
        let started = rating::start(Config { common }, shutdown.clone()).await.expect("the service starts");
        let address = format!("http://{}", started.grpc_address());
        let serving = tokio::spawn(started.serve());
        let channel = Channel::from_shared(address).expect("an address").connect_lazy();
        Service { client: RatingServiceClient::new(channel), shutdown, serving }
    }

    async fn play(&self, game: &Game, result: GameResult) {
        let stream = StreamId::new("game", game.game_id);
        self.game.publish(stream, "GameStarted", &GameStarted::default()).await;
        let ended = GameEnded::decode(game.ended(result).as_slice()).expect("it was just encoded");
        self.game.publish(stream, "GameEnded", &ended).await;
    }

    /// Waits until so many games are rated.
    async fn wait_for_rated(&self, games: i64) {
        eventually(PATIENCE, || async {
            let rated: Option<i64> =
                sqlx::query_scalar("select last_sequence from rating_pools where pool = '3+2'")
                    .fetch_optional(&self.database.pool)
                    .await
                    .expect("the database answers");
            (rated.unwrap_or(0) >= games).then_some(())
        })
        .await;
    }
}

impl Service {
    async fn ratings(&self, player: &str) -> Result<Vec<WireRating>, Status> {
        let request = GetRatingsRequest { player_id: player.to_owned() };
        let answer = self.client.clone().get_ratings(request).await?;
        Ok(answer.into_inner().ratings)
    }

    async fn history(&self, request: ListRatingHistoryRequest) -> Result<ListRatingHistoryResponse, Status> {
        let answer = self.client.clone().list_rating_history(request).await?;
        Ok(answer.into_inner())
    }

    async fn stop(self) {
        self.shutdown.cancel();
        self.serving.await.expect("the service does not panic").expect("the service stops cleanly");
    }
}

fn now_ms() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp() * 1_000
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ratings_follow_the_games_and_anybody_may_read_them() {
    let world = World::new().await;
    let service = world.start().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let fresh = service.ratings(&white.to_string()).await.expect("ratings");
    let pools: Vec<&str> = fresh.iter().map(|rating| rating.pool.as_str()).collect();
    assert_eq!(pools, ["3+2", "5+0", "10+0", "table"]);
    assert_eq!((fresh[3].rating, fresh[3].deviation, fresh[3].provisional), (1_000.0, 0.0, true));
    for rating in &fresh[..3] {
        let numbers = (rating.rating, rating.deviation, rating.volatility);
        assert_eq!(numbers, (1_500.0, 350.0, 0.06));
        assert!(rating.provisional);
        assert_eq!(rating.games, 0);
    }

    for result in [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins] {
        let game = Game { ended_at_ms: now_ms(), ..Game::new(white, black) };
        world.play(&game, result).await;
    }
    world.wait_for_rated(3).await;
    let request = |page_token: String| ListRatingHistoryRequest {
        player_id: black.to_string(),
        pool: "3+2".to_owned(),
        page_size: 2,
        page_token,
        ..Default::default()
    };
    let first = service.history(request(String::new())).await.expect("a page");
    let second = request(first.next_page_token.clone());
    let second = service.history(second).await.expect("a page");
    assert_eq!(second.next_page_token, "");
    let changes: Vec<_> = first.changes.iter().chain(&second.changes).collect();
    let scores: Vec<f64> = changes.iter().map(|change| change.score).collect();
    assert_eq!(scores, [1.0, 0.5, 0.0]);
    assert!(changes.iter().all(|change| change.opponent_id == white.to_string()));
    let oldest = changes[2].after.as_ref().expect("present");
    assert!((oldest.rating - 1_337.689_106).abs() < 1e-6);
    assert_eq!(oldest.games, 1);

    let current = service.ratings(&black.to_string()).await.expect("ratings");
    let newest = changes[0].after.as_ref().expect("present");
    assert_eq!(current[0].rating.to_bits(), newest.rating.to_bits());
    assert_eq!(current[0].games, 3);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reading_grows_the_deviation_by_the_days_since_the_last_game_and_stores_nothing() {
    // D09, RATING-5
    let world = World::new().await;
    let service = world.start().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let game = Game { ended_at_ms: now_ms() - 64 * crate::support::DAY_MS, ..Game::new(white, black) };
    world.play(&game, GameResult::WhiteWins).await;
    world.wait_for_rated(1).await;
    let stored = everything(&world.database.pool).await;
    let row = stored.0.iter().find(|row| row.player_id == white);
    let row = row.expect("rated");
    let rating =
        Rating::new(RawRating { rating: row.rating, deviation: row.deviation, volatility: row.volatility });
    let grown = after_idle_days(rating.expect("inside the bounds"), 64.0);
    let read = service.ratings(&white.to_string()).await.expect("ratings");
    assert!(read[0].deviation > row.deviation);
    assert!((read[0].deviation - grown.deviation()).abs() < 0.01);
    assert_eq!(everything(&world.database.pool).await, stored);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_requests_are_told_what_is_wrong() {
    let world = World::new().await;
    let service = world.start().await;
    let malformed = service.ratings("Paul").await.expect_err("no id");
    assert_eq!(malformed.code(), Code::InvalidArgument);
    let request = ListRatingHistoryRequest {
        player_id: Uuid::now_v7().to_string(),
        pool: "1+0".to_owned(),
        ..Default::default()
    };
    let unknown = service.history(request).await.expect_err("no such pool");
    assert_eq!(unknown.code(), Code::NotFound);
    let details = unknown.get_error_details();
    let info = details.error_info().expect("an ErrorInfo");
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("POOL_UNKNOWN", "stakemate.rating"));
    assert_eq!(info.metadata.get("pool").map(String::as_str), Some("1+0"));
    let request = ListRatingHistoryRequest { page_size: 101, ..Default::default() };
    let malformed = service.history(request).await.expect_err("malformed");
    let details = malformed.get_error_details();
    let fields: Vec<_> = details
        .bad_request()
        .expect("a bad request")
        .field_violations
        .iter()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(fields, ["player_id", "page_size"]);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stops_in_the_middle_and_games_sent_again_change_no_bit() {
    // D12, G02, G11, G16
    const GAMES: i64 = 40;
    let began = OffsetDateTime::now_utc();
    let world = World::new().await;
    let service = world.start().await;
    let players: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
    for n in 0..GAMES as usize {
        let game = Game::new(players[n % 4], players[(n + 1) % 4]);
        world.play(&game, GameResult::WhiteWins).await;
    }
    world.wait_for_rated(3).await;
    service.stop().await;
    let second = world.start().await;
    world.wait_for_rated(10).await;
    second.serving.abort();
    let service = world.start().await;
    world.wait_for_rated(GAMES).await;
    second.shutdown.cancel();
    let before = everything(&world.database.pool).await;
    event_bus::republish(world.game.pool(), began).await.expect("the database answers");
    let last = Game::new(Uuid::now_v7(), Uuid::now_v7());
    world.play(&last, GameResult::Draw).await;
    world.wait_for_rated(GAMES + 1).await;
    let after = everything(&world.database.pool).await;
    assert_eq!(after.1[..before.1.len()], before.1[..]);
    let report =
        rating::rebuild(&world.database.pool, rating::RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!((report.changes, report.differing), (GAMES as u64 + 1, 0));
    service.stop().await;
}
