//! Games that are voided and points that are given by hand, by those who may.

use event_bus::Message;
use event_store::StreamId;
use proto::fairplay::v1::{CaseDecided, CaseDecision};
use proto::game::v1::GameResult;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::{
    CorrectRatingRequest, CorrectionKind, ListRatingHistoryRequest, PreviewRecomputationRequest,
    RatingChangeKind, RatingCorrected, VoidGameRequest,
};
use rating::bus::decisions::DecisionHandler;
use rating::{Config, RebuildConfig, rebuild};
use service_kit::auth::Role;
use sqlx::PgPool;
use test_kit::{Nats, TestDatabase};
use test_peer::{Instance, Keys, Listener, Visitor, refusal};
use tonic::Code;
use tonic::transport::Channel;
use uuid::Uuid;

use crate::support::{DAY_MS, Game, NOON_MS, everything, history_of, rating_of};

struct World {
    nats: Nats,
    database: TestDatabase,
    keys: Keys,
    instance: Instance,
}

impl World {
    async fn new() -> Self {
        let nats = test_kit::own_nats().await;
        let database = test_kit::postgres().await.database("rating").await;
        let keys = Keys::new();
        let common = keys.settings(&database.url, &nats.url());
        let instance = Instance::start(async move |shutdown| {
            let started = rating::start(Config { common }, shutdown).await?;
            Ok((started.grpc_address(), started.serve()))
        })
        .await;
        Self { nats, database, keys, instance }
    }

    fn pool(&self) -> &PgPool {
        &self.database.pool
    }

    fn client(&self) -> RatingServiceClient<Channel> {
        RatingServiceClient::new(self.instance.channel())
    }

    fn moderator(&self) -> Visitor {
        self.keys.visitor(Uuid::now_v7(), "Mona", &[Role::Player, Role::Moderator])
    }

    /// Five games of a player, of which he wins all but the third, against five others.
    async fn five_games(&self, player: Uuid) -> Vec<Game> {
        let mut games = Vec::new();
        for n in 0..5 {
            let game = Game { ended_at_ms: NOON_MS + n * DAY_MS, ..Game::new(player, Uuid::now_v7()) };
            let result = if n == 2 { GameResult::BlackWins } else { GameResult::WhiteWins };
            game.end(self.pool(), result).await.expect("rated");
            games.push(game);
        }
        games
    }
}

fn void(game: &Game, reason: &str) -> VoidGameRequest {
    VoidGameRequest {
        request_id: Uuid::now_v7().to_string(),
        game_id: game.game_id.to_string(),
        reason: reason.to_owned(),
    }
}

fn adjust(game: &Game, player: Uuid, points: f64) -> CorrectRatingRequest {
    CorrectRatingRequest {
        request_id: Uuid::now_v7().to_string(),
        game_id: game.game_id.to_string(),
        player_id: player.to_string(),
        points,
        reason: "lost to a cheat".to_owned(),
    }
}

fn moved(correction: &RatingCorrected, player: Uuid) -> f64 {
    let one = correction.players.iter().find(|one| one.player_id == player.to_string()).expect("concerned");
    let (before, after) = (one.before.as_ref().expect("present"), one.after.as_ref().expect("present"));
    after.rating - before.rating
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_voided_game_is_a_change_of_its_own_and_everything_adds_up() {
    // D16, RATING-1, RATING-6
    let world = World::new().await;
    let (player, moderator) = (Uuid::now_v7(), world.moderator());
    let games = world.five_games(player).await;
    let lost = &games[2];
    let before = rating_of(world.pool(), player).await.expect("rated");
    let request = moderator.request(void(lost, "  his opponent had help  "));
    let answer = world.client().void_game(request).await.expect("voided").into_inner();
    let correction = answer.correction.expect("present");
    assert_eq!(correction.kind(), CorrectionKind::Voided);
    assert_eq!((correction.reason.as_str(), correction.pool.as_str()), ("his opponent had help", "3+2"));
    assert_eq!(correction.actor_id, moderator.player_id.to_string());
    assert_eq!(correction.pool_sequence, 6);

    let after = rating_of(world.pool(), player).await.expect("rated");
    let history = history_of(world.pool(), player).await;
    let lost_row =
        history.iter().find(|row| row.game_id == lost.game_id && row.kind == "game").expect("there");
    let taken = lost_row.rating_after - lost_row.rating_before;
    assert!(taken < 0.0);
    assert!((after.rating - before.rating + taken).abs() < 1e-9);
    assert_eq!(
        (after.deviation, after.volatility, after.games),
        (before.deviation, before.volatility, before.games)
    );
    assert!((moved(&correction, player) + taken).abs() < 1e-9);
    let opponent = rating_of(world.pool(), lost.black).await.expect("rated");
    assert!((opponent.rating - 1_500.0).abs() < 1e-9);

    // Initial rating and all signed differences are the rating.
    let sum: f64 = history.iter().map(|row| row.rating_after - row.rating_before).sum();
    assert!((1_500.0 + sum - after.rating).abs() < 1e-9);
    assert_eq!(history.len(), 6);
    let listed = ListRatingHistoryRequest {
        player_id: player.to_string(),
        pool: "3+2".to_owned(),
        ..Default::default()
    };
    let listed = world.client().list_rating_history(listed).await.expect("a page").into_inner().changes;
    assert_eq!(listed[0].kind(), RatingChangeKind::Voided);
    assert_eq!(listed[0].opponent_id, lost.black.to_string());
    assert!(listed[1..].iter().all(|change| change.kind() == RatingChangeKind::Game));

    // Others hear of it, behind the game's own event.
    let listener = Listener::start("rating", &world.nats.url()).await;
    let told = listener.message(lost.game_id, "RatingCorrected").await;
    assert_eq!((told.version, told.follows), (2, 1));
    assert_eq!(told.metadata.actor, moderator.player_id.to_string());
    let stored = everything(world.pool()).await;
    let report = rebuild(world.pool(), RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!((report.changes, report.differing), (6, 0));
    assert_eq!(everything(world.pool()).await, stored);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn points_given_because_of_a_game_are_taken_back_with_it() {
    // D16, RATING-1
    let world = World::new().await;
    let (player, moderator) = (Uuid::now_v7(), world.moderator());
    let games = world.five_games(player).await;
    let opponent = games[2].black;
    let request = moderator.request(adjust(&games[2], player, 7.25));
    let given = world.client().correct_rating(request).await.expect("given").into_inner();
    let given = given.correction.expect("present");
    assert_eq!(given.kind(), CorrectionKind::Adjusted);
    assert!((moved(&given, player) - 7.25).abs() < 1e-9);
    let voided = world.client().void_game(moderator.request(void(&games[2], "cheat"))).await.expect("voided");
    let voided = voided.into_inner().correction.expect("present");
    let history = history_of(world.pool(), player).await;
    let net: f64 = history
        .iter()
        .filter(|row| row.game_id == games[2].game_id)
        .map(|row| row.rating_after - row.rating_before)
        .sum();
    assert!(net.abs() < 1e-9, "{net}");
    assert_eq!(voided.players.len(), 2);

    // Nothing is left to correct, and a stranger gets nothing anyway.
    for refused in [
        world.client().void_game(moderator.request(void(&games[2], "again"))).await.expect_err("voided"),
        world
            .client()
            .correct_rating(moderator.request(adjust(&games[2], opponent, 1.0)))
            .await
            .expect_err("voided"),
    ] {
        assert_eq!(
            (refused.code(), refusal::reason(&refused)),
            (Code::FailedPrecondition, "GAME_VOIDED".to_owned())
        );
    }
    let stranger = adjust(&games[0], Uuid::now_v7(), 1.0);
    let refused = world.client().correct_rating(moderator.request(stranger)).await.expect_err("a stranger");
    assert_eq!(refusal::reason(&refused), "NOT_A_PLAYER");
    let unknown = void(&Game::new(player, opponent), "no such game");
    let refused = world.client().void_game(moderator.request(unknown)).await.expect_err("not rated");
    assert_eq!((refused.code(), refusal::reason(&refused)), (Code::NotFound, "GAME_NOT_RATED".to_owned()));
    assert_eq!(rebuild(world.pool(), RebuildConfig::default()).await.expect("rebuilt").differing, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_moderators_and_operators_correct_or_look_ahead() {
    // RATING-6
    let world = World::new().await;
    let games = world.five_games(Uuid::now_v7()).await;
    let stored = everything(world.pool()).await;
    let player = world.keys.player("Paul");
    let computer = world.keys.visitor(Uuid::now_v7(), "Deep", &[Role::Computer]);
    let preview = || PreviewRecomputationRequest { game_id: games[0].game_id.to_string(), players_max: 0 };
    for visitor in [&player, &computer] {
        let refusals = [
            world.client().void_game(visitor.request(void(&games[0], "why not"))).await.expect_err("no role"),
            world
                .client()
                .correct_rating(visitor.request(adjust(&games[0], games[0].white, 5.0)))
                .await
                .expect_err("no role"),
            world.client().preview_recomputation(visitor.request(preview())).await.expect_err("no role"),
        ];
        for refused in refusals {
            assert_eq!(
                (refused.code(), refusal::reason(&refused)),
                (Code::PermissionDenied, "ROLE_MISSING".to_owned())
            );
        }
    }
    let nobody = world.client().void_game(void(&games[0], "why not")).await.expect_err("nobody");
    assert_eq!(nobody.code(), Code::Unauthenticated);
    assert_eq!(everything(world.pool()).await, stored);

    let operator = world.keys.visitor(Uuid::now_v7(), "Olga", &[Role::Operator]);
    world.client().preview_recomputation(operator.request(preview())).await.expect("may look");
    world.client().void_game(operator.request(void(&games[0], "may"))).await.expect("may void");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_corrections_are_told_every_bad_field() {
    let world = World::new().await;
    let moderator = world.moderator();
    let empty =
        world.client().void_game(moderator.request(VoidGameRequest::default())).await.expect_err("malformed");
    assert_eq!(refusal::bad_fields(&empty), ["request_id", "game_id", "reason"]);
    let game = Game::new(Uuid::now_v7(), Uuid::now_v7());
    for points in [0.0, 701.0, f64::NAN, f64::NEG_INFINITY] {
        let request = adjust(&game, game.white, points);
        let refused = world.client().correct_rating(moderator.request(request)).await.expect_err("malformed");
        assert_eq!(refusal::bad_fields(&refused), ["points"]);
    }
    let long = void(&game, &"x".repeat(501));
    let refused = world.client().void_game(moderator.request(long)).await.expect_err("malformed");
    assert_eq!(refusal::bad_fields(&refused), ["reason"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_request_is_answered_like_the_first_time_and_takes_effect_once() {
    // RATING-7
    let world = World::new().await;
    let (player, moderator) = (Uuid::now_v7(), world.moderator());
    let games = world.five_games(player).await;
    let request = void(&games[1], "cheat");
    let many = (0..8).map(|_| {
        let (mut client, request) = (world.client(), moderator.request(request.clone()));
        async move { client.void_game(request).await.expect("voided").into_inner() }
    });
    let answers = futures::future::join_all(many).await;
    assert!(answers.iter().all(|answer| answer == &answers[0]));
    let changes = history_of(world.pool(), player).await;
    assert_eq!(changes.iter().filter(|row| row.kind == "voided").count(), 1);

    // After a rebuild it is still known.
    rebuild(world.pool(), RebuildConfig::default()).await.expect("rebuilt");
    let again = world.client().void_game(moderator.request(request.clone())).await.expect("the first answer");
    assert_eq!(again.into_inner(), answers[0]);

    // The same id for something else.
    let other_game = VoidGameRequest { game_id: games[3].game_id.to_string(), ..request.clone() };
    let other_reason = VoidGameRequest { reason: "another".to_owned(), ..request.clone() };
    for other in [other_game, other_reason] {
        let refused = world.client().void_game(moderator.request(other)).await.expect_err("reused");
        assert_eq!(
            (refused.code(), refusal::reason(&refused)),
            (Code::InvalidArgument, "REQUEST_ID_REUSED".to_owned())
        );
    }
    let other_call =
        CorrectRatingRequest { request_id: request.request_id.clone(), ..adjust(&games[1], player, 3.0) };
    let refused = world.client().correct_rating(moderator.request(other_call)).await.expect_err("reused");
    assert_eq!(refusal::reason(&refused), "REQUEST_ID_REUSED");
    // Somebody else's request of this id is another one.
    let colleague = world.moderator();
    let theirs = VoidGameRequest { game_id: games[3].game_id.to_string(), ..request };
    world.client().void_game(colleague.request(theirs)).await.expect("voided");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_moderators_who_void_a_game_at_once_one_does() {
    // RATING-1
    let world = World::new().await;
    let games = world.five_games(Uuid::now_v7()).await;
    for game in &games {
        let both = [world.moderator(), world.moderator()].map(|moderator| {
            let (mut client, request) = (world.client(), moderator.request(void(game, "cheat")));
            async move { client.void_game(request).await }
        });
        let answers = futures::future::join_all(both).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        let refused = answers.into_iter().find_map(Result::err).expect("one is late");
        assert_eq!(refusal::reason(&refused), "GAME_VOIDED");
    }
    assert_eq!(rebuild(world.pool(), RebuildConfig::default()).await.expect("rebuilt").differing, 0);
}

/// A decision about `player` because of these games.
fn decided(player: Uuid, games: &[Game], decision: CaseDecision, version: i64) -> Message {
    let event = CaseDecided {
        case_id: Uuid::from_u128(77).to_string(),
        player_id: player.to_string(),
        decided_by: Uuid::from_u128(78).to_string(),
        decision: decision.into(),
        before: CaseDecision::Unspecified.into(),
        reason: "an engine on every move".to_owned(),
        decided_at_ms: NOON_MS + 30 * DAY_MS,
        game_ids: games.iter().map(|game| game.game_id.to_string()).collect(),
        lost_stakes: Vec::new(),
    };
    Message {
        version,
        ..test_peer::delivery::message("fairplay", StreamId::new("player", player), "CaseDecided", &event)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmed_case_gives_its_victims_their_points_back_and_a_reversal_takes_that_back() {
    // RATING-6, RATING-9
    let world = World::new().await;
    let (cheat, pool) = (Uuid::now_v7(), world.pool());
    let games = world.five_games(cheat).await;
    let ratings = async |games: &[Game]| {
        let mut ratings = vec![rating_of(pool, cheat).await.expect("rated").rating];
        for game in games {
            ratings.push(rating_of(pool, game.black).await.expect("rated").rating);
        }
        ratings
    };
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    let played = ratings(&games).await;
    // A game of which nobody here has heard is passed over.
    let mut named = games.clone();
    named.push(Game::new(cheat, Uuid::now_v7()));
    let decide = async |decision, version| {
        test_peer::delivery::deliver(pool, &DecisionHandler, &decided(cheat, &named, decision, version))
            .await
            .expect("handled");
    };
    decide(CaseDecision::Confirmed, 1).await;
    let corrected = ratings(&games).await;
    let lost = &games[2];
    for (index, game) in games.iter().enumerate() {
        let expected = if game.game_id == lost.game_id { played[index + 1] } else { 1_500.0 };
        assert!((corrected[index + 1] - expected).abs() < 1e-6, "{index}: {corrected:?}");
    }
    assert!(corrected[0] < played[0] && corrected[0] < 1_500.0, "what he lost stays lost");
    // The same decision once more changes nothing; a reversal gives everybody what he had.
    decide(CaseDecision::Confirmed, 2).await;
    assert!(near(&ratings(&games).await, &corrected));
    decide(CaseDecision::Cleared, 3).await;
    assert!(near(&ratings(&games).await, &played));
    decide(CaseDecision::Confirmed, 4).await;
    assert!(near(&ratings(&games).await, &corrected));
    let report = rebuild(pool, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!(report.differing, 0);
}
