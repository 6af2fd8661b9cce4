//! The whole service: events in through the bus, answers over gRPC.

use std::collections::BTreeSet;

use proto::fairplay::v1::{
    AnalysisStatus, GameReport, GetGameReportRequest, GetGameReportResponse, GetPairAllowanceRequest,
};
use service_kit::auth::Role;
use sqlx::PgPool;
use test_kit::eventually;
use time::OffsetDateTime;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;

use crate::support::events::{BEFORE_MIDNIGHT_MS, FOOLS_MATE, Match};
use crate::support::world::{Service, World};
use crate::support::{PATIENCE, event_counts, stockfish};

const DAY_MS: i64 = 86_400_000;

async fn until_counts(pool: &PgPool, wanted: &[(&str, i64)]) {
    let wanted: BTreeSet<(String, i64)> = wanted.iter().map(|(kind, n)| ((*kind).to_owned(), *n)).collect();
    eventually(PATIENCE, || async {
        let counts: BTreeSet<_> = event_counts(pool).await.into_iter().collect();
        (counts == wanted).then_some(())
    })
    .await;
}

async fn until_all_is_published(pool: &PgPool) {
    eventually(PATIENCE, || async {
        let waiting: i64 = sqlx::query_scalar("select count(*) from outbox where published_at is null")
            .fetch_one(pool)
            .await
            .expect("readable");
        (waiting == 0).then_some(())
    })
    .await;
}

/// How many messages a consumer has behind it.
async fn until_handled(pool: &PgPool, streams: i64) {
    eventually(PATIENCE, || async {
        let handled: i64 =
            sqlx::query_scalar("select count(*) from inbox").fetch_one(pool).await.expect("readable");
        (handled == streams).then_some(())
    })
    .await;
}

impl World {
    async fn ask(
        &self,
        service: &Service,
        player_id: Uuid,
        role: Role,
        game_id: &str,
    ) -> Result<GetGameReportResponse, Status> {
        let request = GetGameReportRequest { game_id: game_id.to_owned() };
        let mut client = service.client.clone();
        client.get_game_report(self.request(player_id, role, request)).await.map(tonic::Response::into_inner)
    }

    async fn until_ready(&self, service: &Service, player_id: Uuid, game_id: Uuid) -> GameReport {
        eventually(PATIENCE, || async {
            match self.ask(service, player_id, Role::Player, &game_id.to_string()).await {
                Ok(answer) => {
                    let is_ready = answer.status() == AnalysisStatus::Ready;
                    assert_eq!(answer.report.is_some(), is_ready, "a report before it is complete");
                    answer.report
                }
                Err(status) => {
                    assert_eq!(status.code(), Code::NotFound, "{status}");
                    None
                }
            }
        })
        .await
    }
}

fn now_ms() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp() * 1_000
}

fn reason(status: &Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_staked_game_ends_in_a_report_that_its_players_and_moderators_can_read() {
    // FAIR-13, FAIR-14, FAIR-19
    let world = World::new().await;
    let service = world.start(Some(stockfish().program)).await;
    let pairing = Match::of_strangers();
    world.matchmaking.publish(&pairing.proposed(now_ms())).await;
    until_counts(&world.database.pool, &[("PairingReserved", 1)]).await;
    world.game.publish(&pairing.ended(FOOLS_MATE)).await;
    let report = world.until_ready(&service, pairing.white, pairing.game_id).await;
    assert_eq!(report.plies.len(), 4);

    let game_id = pairing.game_id.to_string();
    for (player_id, role) in
        [(pairing.black, Role::Player), (Uuid::now_v7(), Role::Moderator), (Uuid::now_v7(), Role::Operator)]
    {
        let answer = world.ask(&service, player_id, role, &game_id).await.expect("allowed");
        assert_eq!(answer.report.as_ref(), Some(&report));
    }
    let stranger = world.ask(&service, Uuid::now_v7(), Role::Player, &game_id).await.expect_err("a stranger");
    let unknown = world
        .ask(&service, pairing.white, Role::Player, &Uuid::now_v7().to_string())
        .await
        .expect_err("no such game");
    assert_eq!((stranger.code(), reason(&stranger).as_str()), (Code::NotFound, "REPORT_UNKNOWN"));
    assert_eq!((stranger.code(), stranger.message()), (unknown.code(), unknown.message()));
    assert_eq!(reason(&stranger), reason(&unknown));
    let malformed = world.ask(&service, pairing.white, Role::Player, "7").await.expect_err("no id");
    assert_eq!(malformed.code(), Code::InvalidArgument);
    let anonymous =
        service.client.clone().get_game_report(Request::new(GetGameReportRequest { game_id })).await;
    assert_eq!(anonymous.expect_err("no token").code(), Code::Unauthenticated);

    let all = [("AnalysisQueued", 1), ("PairingCounted", 1), ("PairingReserved", 1), ("ReportReady", 1)];
    until_counts(&world.database.pool, &all).await;
    until_all_is_published(&world.database.pool).await;
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_of_a_pair_holds_through_the_bus_and_against_everything_sent_twice() {
    // E14, FAIR-11, FAIR-12
    let world = World::new().await;
    let pool = &world.database.pool;
    let service = world.start(None).await;
    let (a, b) = (Uuid::now_v7(), Uuid::now_v7());
    let matches: Vec<Match> = (0..20).map(|_| Match::new(a, b)).collect();
    for pairing in &matches {
        world.matchmaking.publish(&pairing.proposed(BEFORE_MIDNIGHT_MS)).await;
    }
    until_counts(pool, &[("PairingReserved", 6), ("PairingRefused", 14)]).await;
    let reserved: Vec<String> = sqlx::query_scalar(
        "select convert_from(substr(data, 3, 36), 'utf8') from events where type = 'PairingReserved'",
    )
    .fetch_all(pool)
    .await
    .expect("readable");
    let mut played = matches.iter().filter(|pairing| reserved.contains(&pairing.match_id.to_string()));
    world.game.publish(&played.next().expect("six").aborted()).await;
    world.game.publish(&played.next().expect("six").ended(FOOLS_MATE)).await;
    world.matchmaking.publish(&played.next().expect("six").cancelled()).await;
    let mut wanted = vec![
        ("AnalysisQueued", 1),
        ("PairingCounted", 1),
        ("PairingRefused", 14),
        ("PairingReleased", 2),
        ("PairingReserved", 6),
    ];
    until_counts(pool, &wanted).await;

    world.matchmaking.publish_all_again().await;
    world.game.publish_all_again().await;
    until_all_is_published(&world.matchmaking.database.pool).await;
    until_all_is_published(&world.game.database.pool).await;
    // Two places are free. This one comes after all that was sent twice, so none of that took them.
    let late: Vec<Match> = (0..3).map(|_| Match::new(b, a)).collect();
    for pairing in &late {
        world.matchmaking.publish(&pairing.proposed(BEFORE_MIDNIGHT_MS)).await;
    }
    wanted[2].1 = 15;
    wanted[4].1 = 8;
    until_counts(pool, &wanted).await;
    until_handled(pool, 20 + 2 + 3).await;
    let letters: i64 =
        sqlx::query_scalar("select count(*) from dead_letters").fetch_one(pool).await.expect("readable");
    assert_eq!(letters, 0);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_allowance_of_a_pair_counts_what_is_reserved_and_played_today() {
    let world = World::new().await;
    let service = world.start(None).await;
    let pairing = Match::of_strangers();
    let now = now_ms();
    world.matchmaking.publish(&pairing.proposed(now)).await;
    world.matchmaking.publish(&Match::new(pairing.black, pairing.white).proposed(now)).await;
    world.matchmaking.publish(&Match::new(pairing.black, pairing.white).proposed(now - DAY_MS)).await;
    until_counts(&world.database.pool, &[("PairingReserved", 3)]).await;
    let mut client = service.client.clone();
    let mut ask = async |caller: Uuid, opponent: Uuid| {
        let request = GetPairAllowanceRequest { opponent_id: opponent.to_string() };
        client.get_pair_allowance(world.request(caller, Role::Player, request)).await
    };
    for (caller, opponent) in [(pairing.white, pairing.black), (pairing.black, pairing.white)] {
        let answer = ask(caller, opponent).await.expect("answered").into_inner();
        assert_eq!((answer.used, answer.limit), (2, 6));
        assert_eq!(answer.resets_at_ms % DAY_MS, 0);
        assert!((1..=DAY_MS).contains(&(answer.resets_at_ms - now)));
    }
    assert_eq!(ask(pairing.white, Uuid::now_v7()).await.expect("answered").into_inner().used, 0);
    let himself = ask(pairing.white, pairing.white).await.expect_err("himself");
    assert_eq!(himself.code(), Code::InvalidArgument);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_without_an_engine_does_everything_else_and_the_next_one_catches_up() {
    // FAIR-17
    let world = World::new().await;
    let service = world.start(None).await;
    let pairing = Match::of_strangers();
    world.matchmaking.publish(&pairing.proposed(now_ms())).await;
    world.game.publish(&pairing.ended(FOOLS_MATE)).await;
    let all = [("AnalysisQueued", 1), ("PairingCounted", 1), ("PairingReserved", 1)];
    until_counts(&world.database.pool, &all).await;
    let game_id = pairing.game_id.to_string();
    let answer = world.ask(&service, pairing.white, Role::Player, &game_id).await.expect("a player");
    assert_eq!((answer.status(), answer.report), (AnalysisStatus::Queued, None));
    service.stop().await;
    let service = world.start(Some(stockfish().program)).await;
    assert_eq!(world.until_ready(&service, pairing.black, pairing.game_id).await.plies.len(), 4);
    service.stop().await;
}
