//! The whole service: a broker, its neighbours, and callers.

use std::time::{Duration, SystemTime};

use event_store::StreamId;
use prost::Message as _;
use proto::fairplay::v1::{CaseDecided, CaseDecision, LostStake};
use proto::game::v1::{GameResult, GameStarted};
use proto::gateway::v1::PlayerRegistered;
use proto::types::v1::Money;
use proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use proto::wallet::v1::{
    AdjustFundRequest, Balance, FundSource, GetBalanceRequest, ListStatementRequest, ListStatementResponse,
    ListVictimRefundsRequest, TransferKind, VictimRefund, VictimRefundState,
};
use service_kit::auth::{KeyFiles, Principal, Role, Roles, Signer};
use sqlx::PgPool;
use test_kit::{Nats, TestDatabase, eventually};
use test_peer::Peer;
use time::OffsetDateTime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;
use wallet::Config;

use crate::support::{Match, assert_clean, registered, settings};

/// Generous: two cores may be shared with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// The wallet between its neighbours.
struct World {
    nats: Nats,
    database: TestDatabase,
    gateway: Peer,
    matchmaking: Peer,
    game: Peer,
    fairplay: Peer,
}

/// A wallet that runs.
struct Wallet {
    client: WalletServiceClient<Channel>,
    admin: WalletAdminServiceClient<Channel>,
    keys: KeyFiles,
    shutdown: CancellationToken,
    serving: JoinHandle<Result<(), service_kit::RunError>>,
}

impl World {
    async fn new() -> Self {
        let nats = test_kit::own_nats().await;
        let url = nats.url();
        Self {
            database: test_kit::postgres().await.database("wallet").await,
            gateway: Peer::start("gateway", &url).await,
            matchmaking: Peer::start("matchmaking", &url).await,
            game: Peer::start("game", &url).await,
            fairplay: Peer::start("fairplay", &url).await,
            nats,
        }
    }

    async fn start_wallet(&self) -> Wallet {
        let (common, keys) = settings(&self.database.url, &self.nats.url());
        let config = Config { common, opening_deposit_minor_units: None, desk: Default::default() };
        let shutdown = CancellationToken::new();
        let started = wallet::start(config, shutdown.clone()).await.expect("the wallet starts");
        let address = format!("http://{}", started.grpc_address());
        let serving = tokio::spawn(started.serve());
        let channel = Channel::from_shared(address).expect("an address").connect_lazy();
        let admin = WalletAdminServiceClient::new(channel.clone());
        Wallet { client: WalletServiceClient::new(channel), admin, keys, shutdown, serving }
    }

    async fn sign_up(&self) -> Uuid {
        let player = Uuid::now_v7();
        let event =
            PlayerRegistered::decode(registered(player).data.as_slice()).expect("it was just encoded");
        self.gateway.publish(StreamId::new("player", player), "PlayerRegistered", &event).await;
        player
    }

    async fn request(&self, asked: &Match) {
        let stream = StreamId::new("match", asked.match_id);
        self.matchmaking.publish(stream, "StakesRequested", &asked.requested()).await;
    }

    async fn end(&self, played: &Match, result: GameResult) {
        let stream = StreamId::new("game", played.game_id);
        self.game.publish(stream, "GameStarted", &GameStarted::default()).await;
        self.game.publish(stream, "GameEnded", &played.ended(result)).await;
    }
}

impl Wallet {
    fn request<T>(&self, player: Uuid, message: T) -> Request<T> {
        self.request_as(player, Role::Player, message)
    }

    fn request_as<T>(&self, player: Uuid, role: Role, message: T) -> Request<T> {
        let signer =
            Signer::from_file(&self.keys.private, service_kit::auth::ISSUER).expect("the key of the test");
        let principal = Principal {
            player_id: player,
            name: "Paul".to_owned(),
            roles: Roles::of(&[role]),
            expires_at: SystemTime::now() + Duration::from_secs(600),
        };
        let bearer = signer.bearer(&principal).expect("a token");
        let mut request = Request::new(message);
        let value = bearer.parse().expect("a header value");
        request.metadata_mut().insert("authorization", value);
        request
    }

    async fn balance(&self, player: Uuid) -> Result<Vec<Balance>, Status> {
        let request = self.request(player, GetBalanceRequest {});
        let answer = self.client.clone().get_balance(request).await?;
        Ok(answer.into_inner().balances)
    }

    /// Waits until the player has this available and held.
    async fn wait_for(&self, player: Uuid, available: i64, held: i64) {
        let expected =
            Balance { available: Some(xpl(available)), held: Some(xpl(held)), withheld: Some(xpl(0)) };
        eventually(PATIENCE, || async {
            let answer = self.balance(player).await;
            let is_there = answer.as_deref().ok() == Some(std::slice::from_ref(&expected));
            is_there.then_some(())
        })
        .await;
    }

    async fn page(
        &self,
        player: Uuid,
        page_size: u32,
        page_token: &str,
    ) -> Result<ListStatementResponse, Status> {
        let message = ListStatementRequest { page_size, page_token: page_token.to_owned(), filter: None };
        let request = self.request(player, message);
        Ok(self.client.clone().list_statement(request).await?.into_inner())
    }

    async fn refunds(&self, state: VictimRefundState) -> Vec<VictimRefund> {
        let message = ListVictimRefundsRequest { state: state as i32, ..ListVictimRefundsRequest::default() };
        let request = self.request_as(Uuid::now_v7(), Role::Operator, message);
        self.admin.clone().list_victim_refunds(request).await.expect("listed").into_inner().refunds
    }

    /// Puts money into the house's fund, and answers what it holds then.
    async fn fund(&self, role: Role, source: FundSource, minor_units: i64) -> Result<i64, Status> {
        let message = AdjustFundRequest {
            request_id: Uuid::now_v7().to_string(),
            amount: Some(xpl(minor_units)),
            source: source as i32,
            reason: "for this season".to_owned(),
        };
        let request = self.request_as(Uuid::now_v7(), role, message);
        let answer = self.admin.clone().adjust_fund(request).await?.into_inner();
        Ok(answer.fund_after.expect("an amount").minor_units)
    }

    async fn stop(self) {
        self.shutdown.cancel();
        self.serving.await.expect("the wallet does not panic").expect("the wallet stops cleanly");
    }
}

fn xpl(minor_units: i64) -> Money {
    Money { minor_units, currency: "XPL".to_owned() }
}

/// Waits until nothing is left to be published and as many messages as given were handled by the wallet's consumers.
async fn wait_for_handled(pool: &PgPool, consumer: &'static str, streams: i64) {
    eventually(PATIENCE, || async {
        let handled: i64 =
            sqlx::query_scalar("select count(*) from inbox where consumer = $1 and version = 2")
                .bind(consumer)
                .fetch_one(pool)
                .await
                .expect("the database answers");
        (handled == streams).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_staked_game_is_followed_from_sign_up_to_payout() {
    let world = World::new().await;
    let wallet = world.start_wallet().await;
    let (white, black) = (world.sign_up().await, world.sign_up().await);
    let played = Match::new(white, black, 5_000);
    world.request(&played).await;
    wallet.wait_for(white, 995_000, 5_000).await;
    world.end(&played, GameResult::WhiteWins).await;
    wallet.wait_for(white, 1_004_500, 0).await;
    wallet.wait_for(black, 995_000, 0).await;

    let first = wallet.page(white, 2, "").await.expect("a page");
    let kinds: Vec<TransferKind> = first.lines.iter().map(|line| line.kind()).collect();
    assert_eq!(kinds, [TransferKind::Payout, TransferKind::Hold]);
    assert_eq!(first.lines[0].available_change, Some(xpl(9_500)));
    assert_eq!(first.lines[0].held_change, Some(xpl(-5_000)));
    assert_eq!(first.lines[0].available_after, Some(xpl(1_004_500)));
    assert_eq!(first.lines[0].fee, Some(xpl(500)));
    assert_eq!(first.lines[0].game_id, played.game_id.to_string());
    let second = wallet.page(white, 2, &first.next_page_token).await.expect("a page");
    assert_eq!(second.lines.len(), 1);
    assert_eq!(second.lines[0].kind(), TransferKind::Deposit);
    assert_eq!(second.next_page_token, "");

    // The wallet's own events reach the broker.
    eventually(PATIENCE, || async {
        let waiting: i64 = sqlx::query_scalar("select count(*) from outbox where published_at is null")
            .fetch_one(&world.database.pool)
            .await
            .expect("the database answers");
        (waiting == 0).then_some(())
    })
    .await;
    assert_clean(&world.database.pool).await;
    wallet.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_decided_elsewhere_is_owed_until_the_house_has_funds_and_then_stands_on_the_statement() {
    // WALLET-15
    let began = OffsetDateTime::now_utc();
    let world = World::new().await;
    let wallet = world.start_wallet().await;
    let (victim, cheat, moderator) = (world.sign_up().await, world.sign_up().await, Uuid::now_v7());
    let played = Match::new(victim, cheat, 5_000);
    world.request(&played).await;
    world.end(&played, GameResult::BlackWins).await;
    wallet.wait_for(victim, 995_000, 0).await;
    let decided = CaseDecided {
        case_id: Uuid::now_v7().to_string(),
        player_id: cheat.to_string(),
        decided_by: moderator.to_string(),
        decision: CaseDecision::Confirmed.into(),
        reason: "nobody plays like that".to_owned(),
        decided_at_ms: 1_767_225_540_123,
        lost_stakes: vec![LostStake {
            player_id: victim.to_string(),
            game_id: played.game_id.to_string(),
            stake: Some(xpl(5_000)),
            match_id: played.match_id.to_string(),
        }],
        ..CaseDecided::default()
    };
    world.fairplay.publish(StreamId::new("player", cheat), "CaseDecided", &decided).await;
    let owed = eventually(PATIENCE, || async {
        wallet.refunds(VictimRefundState::Owed).await.pop().filter(|owed| !owed.note.is_empty())
    })
    .await;
    assert!(owed.note.contains("AdjustFund"), "it says what to do: {}", owed.note);
    assert_eq!((owed.decided_by, owed.reason), (moderator.to_string(), decided.reason.clone()));

    let refused = wallet.fund(Role::Moderator, FundSource::Outside, 5_000).await.expect_err("no operator");
    assert_eq!(refused.code(), Code::PermissionDenied);
    // The house has earned 5 % of the pot.
    let refused = wallet.fund(Role::Operator, FundSource::Fees, 501).await.expect_err("not earned");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "FUND_TOO_SMALL"));
    assert_eq!(wallet.fund(Role::Operator, FundSource::Fees, 500).await.expect("earned"), 500);
    assert_eq!(wallet.fund(Role::Operator, FundSource::Outside, 4_600).await.expect("brought"), 5_100);
    wallet.wait_for(victim, 1_000_000, 0).await;
    let refused = wallet.fund(Role::Operator, FundSource::Outside, -101).await.expect_err("spent");
    assert_eq!(reason(&refused), "FUND_TOO_SMALL");

    // Told again from an emptied broker, it is paid once.
    event_bus::republish(world.fairplay.pool(), began).await.expect("the database answers");
    let cleared = CaseDecided { decision: CaseDecision::Cleared.into(), ..decided };
    world.fairplay.publish(StreamId::new("player", cheat), "CaseDecided", &cleared).await;
    wait_for_handled(&world.database.pool, "wallet_cases", 1).await;
    wallet.wait_for(victim, 1_000_000, 0).await;
    let page = wallet.page(victim, 10, "").await.expect("a page");
    let kinds: Vec<TransferKind> = page.lines.iter().map(|line| line.kind()).collect();
    assert_eq!(
        kinds,
        [TransferKind::Restitution, TransferKind::Payout, TransferKind::Hold, TransferKind::Deposit]
    );
    assert_eq!(page.lines[0].available_change, Some(xpl(5_000)));
    assert_eq!(page.lines[0].game_id, played.game_id.to_string());
    assert_eq!(wallet.refunds(VictimRefundState::Paid).await.len(), 1);
    assert_clean(&world.database.pool).await;
    wallet.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_see_their_own_money_or_are_told_why_not() {
    // WALLET-8
    let world = World::new().await;
    let wallet = world.start_wallet().await;
    let player = world.sign_up().await;
    wallet.wait_for(player, 1_000_000, 0).await;

    let anonymous = wallet.client.clone().get_balance(GetBalanceRequest {}).await;
    let refused = anonymous.expect_err("no token");
    assert_eq!(refused.code(), Code::Unauthenticated);
    assert_eq!(reason(&refused), "TOKEN_MISSING");

    let stranger = Uuid::now_v7();
    let unknown = wallet.balance(stranger).await.expect_err("no account");
    assert_eq!(unknown.code(), Code::NotFound);
    assert_eq!(reason(&unknown), "ACCOUNT_UNKNOWN");
    let unknown = wallet.page(stranger, 0, "").await.expect_err("no account");
    assert_eq!(reason(&unknown), "ACCOUNT_UNKNOWN");

    let malformed = wallet.page(player, 101, "x").await.expect_err("malformed");
    assert_eq!(malformed.code(), Code::InvalidArgument);
    let details = malformed.get_error_details();
    let fields: Vec<_> = details
        .bad_request()
        .expect("a bad request")
        .field_violations
        .iter()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(fields, ["page_size", "page_token"]);
    wallet.stop().await;
}

fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    details.error_info().expect("an ErrorInfo").reason.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stops_in_the_middle_and_everything_sent_again_change_no_figure() {
    // F01, G02, G11, G16
    const MATCHES: i64 = 40;
    let began = OffsetDateTime::now_utc();
    let world = World::new().await;
    let wallet = world.start_wallet().await;
    let (white, black) = (world.sign_up().await, world.sign_up().await);
    wallet.wait_for(white, 1_000_000, 0).await;
    wallet.wait_for(black, 1_000_000, 0).await;
    let mut played = Vec::new();
    for _ in 0..MATCHES {
        let one = Match::new(white, black, 1_000);
        world.request(&one).await;
        world.end(&one, GameResult::WhiteWins).await;
        played.push(one);
    }
    // The first wallet stops in the middle, the second one is cut off, the third one does the rest.
    let settled = |at_least: i64| {
        let pool = world.database.pool.clone();
        async move {
            eventually(PATIENCE, || async {
                let count: i64 = sqlx::query_scalar("select count(*) from events where type = 'PotPaid'")
                    .fetch_one(&pool)
                    .await
                    .expect("the database answers");
                (count >= at_least).then_some(())
            })
            .await;
        }
    };
    settled(3).await;
    wallet.stop().await;
    let second = world.start_wallet().await;
    settled(10).await;
    second.serving.abort();
    let wallet = world.start_wallet().await;
    wallet.wait_for(white, 1_000_000 + MATCHES * 900, 0).await;
    wallet.wait_for(black, 1_000_000 - MATCHES * 1_000, 0).await;
    second.shutdown.cancel();

    // An emptied broker is filled again: everything comes twice.
    for neighbour in [&world.gateway, &world.matchmaking, &world.game] {
        event_bus::republish(neighbour.pool(), began).await.expect("the database answers");
    }
    let last = Match::new(white, black, 1_000);
    world.request(&last).await;
    world.end(&last, GameResult::Draw).await;
    wait_for_handled(&world.database.pool, "wallet_games", MATCHES + 1).await;
    wallet.wait_for(white, 1_000_000 + MATCHES * 900, 0).await;
    for one in &played {
        let events = one.events(&world.database.pool).await;
        assert_eq!(events, ["StakesHeld", "PotPaid"]);
    }
    let report = assert_clean(&world.database.pool).await;
    assert_eq!(report.totals.open_holds, 0);
    wallet.stop().await;
}
