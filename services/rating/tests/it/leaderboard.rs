//! Leaderboards and graphs, through the service.

use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::{
    GetLeaderboardPlaceRequest, GetLeaderboardPlaceResponse, GetRatingSeriesRequest, LeaderboardEntry,
    ListLeaderboardRequest, ListPoolsRequest, ListRatingHistoryRequest, RatingSystem,
};
use rating::Config;
use sqlx::PgPool;
use test_kit::{Nats, TestDatabase};
use test_peer::{Instance, Keys, refusal};
use time::OffsetDateTime;
use tonic::transport::Channel;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::support::{DAY_MS, Game, NOON_MS};

struct World {
    _nats: Nats,
    database: TestDatabase,
    instance: Instance,
}

impl World {
    async fn new() -> Self {
        let nats = test_kit::own_nats().await;
        let database = test_kit::postgres().await.database("rating").await;
        let common = Keys::new().settings(&database.url, &nats.url());
        let instance = Instance::start(async move |shutdown| {
            let started = rating::start(Config { common }, shutdown).await?;
            Ok((started.grpc_address(), started.serve()))
        })
        .await;
        Self { _nats: nats, database, instance }
    }

    fn pool(&self) -> &PgPool {
        &self.database.pool
    }

    fn client(&self) -> RatingServiceClient<Channel> {
        RatingServiceClient::new(self.instance.channel())
    }

    /// Somebody who has played until now.
    async fn player(&self, rating: f64, deviation: f64) -> Uuid {
        self.idle_player(rating, deviation, 0).await
    }

    async fn idle_player(&self, rating: f64, deviation: f64, idle_ms: i64) -> Uuid {
        let player = Uuid::now_v7();
        sqlx::query("insert into ratings values ($1, '3+2', $2, $3, 0.06, 9, $4)")
            .bind(player)
            .bind(rating)
            .bind(deviation)
            .bind(now_ms() - idle_ms)
            .execute(self.pool())
            .await
            .expect("the database answers");
        player
    }

    async fn move_to(&self, player: Uuid, rating: f64) {
        sqlx::query("update ratings set rating = $2 where player_id = $1")
            .bind(player)
            .bind(rating)
            .execute(self.pool())
            .await
            .expect("the database answers");
    }

    async fn page(&self, page_size: u32, page_token: &str) -> (Vec<LeaderboardEntry>, String) {
        let request =
            ListLeaderboardRequest { pool: "3+2".to_owned(), page_size, page_token: page_token.to_owned() };
        let page = self.client().list_leaderboard(request).await.expect("a page").into_inner();
        (page.entries, page.next_page_token)
    }

    async fn place(&self, player: Uuid, neighbours: u32) -> Result<GetLeaderboardPlaceResponse, Status> {
        let request =
            GetLeaderboardPlaceRequest { pool: "3+2".to_owned(), player_id: player.to_string(), neighbours };
        Ok(self.client().get_leaderboard_place(request).await?.into_inner())
    }
}

fn now_ms() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp() * 1_000
}

fn ids(entries: &[LeaderboardEntry]) -> Vec<Uuid> {
    let id = |entry: &LeaderboardEntry| entry.player.as_ref()?.player_id.parse().ok();
    entries.iter().map(|entry| id(entry).expect("an id")).collect()
}

fn places(entries: &[LeaderboardEntry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.place).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_neither_repeat_nor_drop_anybody_who_stays_while_others_move() {
    let world = World::new().await;
    let mut players = Vec::new();
    for n in 0..9 {
        players.push(world.player(2_000.0 - 10.0 * f64::from(n), 60.0).await);
    }
    let (first, token) = world.page(3, "").await;
    assert_eq!(ids(&first), players[..3]);
    // One from below overtakes everybody, one who was seen falls below the page's end, somebody new comes in at the top, and the
    // last line of the page itself moves.
    world.move_to(players[7], 2_500.0).await;
    world.move_to(players[0], 1_925.0).await;
    world.player(2_600.0, 60.0).await;
    world.move_to(players[2], 2_400.0).await;
    let (second, token) = world.page(3, &token).await;
    assert_eq!(ids(&second), players[3..6]);
    assert_eq!(places(&second), [4, 5, 6]);
    let (third, token) = world.page(3, &token).await;
    // Whoever fell comes again where he stands now; whoever rose is behind us.
    assert_eq!(ids(&third), [players[6], players[0], players[8]]);
    assert_eq!(token, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_of_one_rating_are_all_listed_once() {
    let world = World::new().await;
    for _ in 0..7 {
        world.player(1_600.0, 80.0).await;
    }
    let (mut seen, mut token) = (Vec::new(), String::new());
    loop {
        let (page, next) = world.page(2, &token).await;
        seen.extend(ids(&page));
        if next.is_empty() {
            break;
        }
        token = next;
    }
    let mut sorted = seen.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!((seen.len(), sorted), (7, seen));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_is_listed_as_long_as_his_deviation_grown_until_now_is_at_most_110() {
    // RATING-5: 100² + (173.7178 × 0.06)² × days = 110² after 19.33 days.
    let world = World::new().await;
    let listed = [
        world.player(1_800.0, 109.9).await,
        world.idle_player(1_700.0, 100.0, 19 * DAY_MS).await,
        world.idle_player(1_600.0, 100.0, 19 * DAY_MS + DAY_MS * 32 / 100).await,
    ];
    let unlisted = [
        world.player(1_900.0, 110.001).await,
        world.idle_player(1_650.0, 100.0, 19 * DAY_MS + DAY_MS * 34 / 100).await,
        world.idle_player(1_640.0, 110.0, DAY_MS).await,
    ];
    let (page, _) = world.page(20, "").await;
    assert_eq!(ids(&page), listed);
    assert!(page.iter().all(|entry| entry.rating.as_ref().is_some_and(|rating| !rating.provisional)));
    for player in unlisted {
        let refused = world.place(player, 1).await.expect_err("not listed");
        assert_eq!(
            (refused.code(), refusal::reason(&refused)),
            (Code::NotFound, "PLAYER_NOT_LISTED".to_owned())
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_players_place_comes_with_those_around_him_also_at_the_edges() {
    let world = World::new().await;
    let mut players = Vec::new();
    for n in 0..5 {
        players.push(world.player(2_000.0 - 10.0 * f64::from(n), 60.0).await);
    }
    world.player(3_000.0, 200.0).await;
    let top = world.place(players[0], 2).await.expect("listed");
    assert_eq!((ids(&top.entries), places(&top.entries)), (players[..3].to_vec(), vec![1, 2, 3]));
    assert_eq!((top.place, top.listed, top.percentile), (1, 5, 100.0));
    let middle = world.place(players[2], 1).await.expect("listed");
    assert_eq!((ids(&middle.entries), places(&middle.entries)), (players[1..4].to_vec(), vec![2, 3, 4]));
    assert_eq!((middle.place, middle.percentile), (3, 50.0));
    let last = world.place(players[4], 50).await.expect("listed");
    assert_eq!(ids(&last.entries), players);
    assert_eq!((last.place, last.percentile), (5, 0.0));
    let alone = world.place(players[3], 0).await.expect("listed");
    assert_eq!(ids(&alone.entries), [players[3]]);

    let refused = world.place(players[0], 51).await.expect_err("too many");
    assert_eq!(refusal::bad_fields(&refused), ["neighbours"]);
    let request = ListLeaderboardRequest { pool: "9+9".to_owned(), ..Default::default() };
    let refused = world.client().list_leaderboard(request).await.expect_err("no such pool");
    assert_eq!(refusal::reason(&refused), "POOL_UNKNOWN");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_only_one_listed_is_first_and_ahead_of_everybody() {
    let world = World::new().await;
    let player = world.player(1_500.0, 60.0).await;
    let found = world.place(player, 3).await.expect("listed");
    assert_eq!((found.place, found.listed, found.percentile, found.entries.len()), (1, 1, 100.0, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn house_tables_list_everybody_by_elo_with_names() {
    let world = World::new().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let game = Game { ended_at_ms: NOON_MS, ..Game::new(white, black) };
    let started = game.started("table", crate::support::Rating::Rated);
    crate::support::deliver(world.pool(), &started).await.expect("noted");
    game.end(world.pool(), proto::game::v1::GameResult::BlackWins).await.expect("rated");
    let request = ListLeaderboardRequest { pool: "table".to_owned(), ..Default::default() };
    let page = world.client().list_leaderboard(request).await.expect("a page").into_inner();
    assert_eq!(ids(&page.entries), [black, white]);
    assert!(
        page.entries.iter().all(|entry| entry.player.as_ref().is_some_and(|player| player.name == "Paul"))
    );
    assert_eq!(
        page.entries[0].rating.as_ref().map(|rating| (rating.rating, rating.provisional)),
        Some((1_016.0, false))
    );
    let pools = world.client().list_pools(ListPoolsRequest {}).await.expect("the pools").into_inner().pools;
    let names: Vec<_> =
        pools.iter().map(|pool| (pool.name.as_str(), pool.system(), pool.rating_at_start)).collect();
    let glicko = |name| (name, RatingSystem::Glicko2, 1_500.0);
    assert_eq!(names, [glicko("3+2"), glicko("5+0"), glicko("10+0"), ("table", RatingSystem::Elo, 1_000.0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_has_few_points_and_a_range_of_time_only_what_lies_in_it() {
    let world = World::new().await;
    let player = Uuid::now_v7();
    for n in 0..60 {
        let game = Game { ended_at_ms: NOON_MS + n * DAY_MS, ..Game::new(player, Uuid::now_v7()) };
        let result = if n % 3 == 0 {
            proto::game::v1::GameResult::BlackWins
        } else {
            proto::game::v1::GameResult::WhiteWins
        };
        game.end(world.pool(), result).await.expect("rated");
    }
    let request = |points_max, from_ms, to_ms| GetRatingSeriesRequest {
        player_id: player.to_string(),
        pool: "3+2".to_owned(),
        from_ms,
        to_ms,
        points_max,
    };
    let whole = world.client().get_rating_series(request(0, 0, 0)).await.expect("a graph").into_inner();
    assert_eq!((whole.at_ms.len(), whole.ratings.len(), whole.deviations.len()), (60, 60, 60));
    assert!(whole.at_ms.is_sorted());
    let few = world.client().get_rating_series(request(7, 0, 0)).await.expect("a graph").into_inner();
    assert_eq!(few.at_ms.len(), 7);
    assert_eq!((few.at_ms.last(), few.ratings.last()), (whole.at_ms.last(), whole.ratings.last()));
    assert!(few.at_ms.iter().all(|at_ms| whole.at_ms.contains(at_ms)));
    let (from_ms, to_ms) = (NOON_MS + 10 * DAY_MS, NOON_MS + 15 * DAY_MS);
    let some =
        world.client().get_rating_series(request(0, from_ms, to_ms)).await.expect("a graph").into_inner();
    assert_eq!(some.at_ms, whole.at_ms[10..15]);

    let page = |from_ms, to_ms| ListRatingHistoryRequest {
        player_id: player.to_string(),
        pool: "3+2".to_owned(),
        from_ms,
        to_ms,
        ..Default::default()
    };
    let changes =
        world.client().list_rating_history(page(from_ms, to_ms)).await.expect("a page").into_inner().changes;
    let times: Vec<i64> = changes.iter().rev().map(|change| change.ended_at_ms).collect();
    assert_eq!(times, some.at_ms);
    let refused = world.client().list_rating_history(page(5, 5)).await.expect_err("empty");
    assert_eq!(refusal::bad_fields(&refused), ["to_ms"]);
    let refused = world.client().get_rating_series(request(1_001, -1, 0)).await.expect_err("malformed");
    assert_eq!(refusal::bad_fields(&refused), ["from_ms", "points_max"]);
}
