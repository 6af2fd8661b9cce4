//! What goes first in the queue, and what was given up.

use std::sync::Arc;

use event_store::{CommitSignal, StreamId};
use fairplay::bus::{GameEvents, MatchEvents};
use fairplay::grpc::Service;
use fairplay::store::jobs;
use prost::Message as _;
use proto::fairplay::v1::analysis_service_server::AnalysisService as _;
use proto::fairplay::v1::{
    AnalysisQueued, ListParkedAnalysesRequest, ParkedAnalysis, RetryAnalysisRequest, ScreenNoticeKind,
};
use proto::game::v1::{EndReason, GameEnded, GameResult};
use service_kit::auth::{Authentication, Principal, Role, Roles};
use sqlx::PgPool;
use tokio::sync::Notify;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::support::events::{BEFORE_MIDNIGHT_MS, End, Event, FOOLS_MATE, Match, OPERA};
use crate::support::fake_engine::FakeEngine;
use crate::support::{PATIENCE, Running, database, deliver, events_of, parked, report, settings, stockfish};

/// Times as a person's: quick in the opening, long where it matters, quick again.
fn human(index: usize) -> i64 {
    let at = index as i64;
    600 + (at * 7 % 13) * (at * 5 % 11) * 130
}

/// Two seconds and a bit for every move.
fn even(index: usize) -> i64 {
    2_000 + (index as i64 % 3) * 100
}

async fn ended(pool: &PgPool, pairing: Match, moves: &str, reason: EndReason, ms: fn(usize) -> i64) -> Match {
    deliver(pool, &MatchEvents, &pairing.proposed(BEFORE_MIDNIGHT_MS).message()).await.expect("handled");
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    let (match_id, result) = (Some(pairing.match_id), GameResult::WhiteWins);
    let end = End { match_id, result, reason, at_ms: BEFORE_MIDNIGHT_MS };
    let told = pairing.ended_with(moves, end);
    let mut ended = GameEnded::decode(told.data.as_slice()).expect("just written");
    for (index, played) in ended.moves.iter_mut().enumerate() {
        played.charged_ms = ms(index);
    }
    let event = Event::new("game", StreamId::new("game", pairing.game_id), 1, "GameEnded", &ended);
    deliver(pool, &games, &event.message()).await.expect("handled");
    pairing
}

async fn notices(pool: &PgPool, game_id: Uuid) -> Vec<(ScreenNoticeKind, String)> {
    let data: Vec<u8> =
        sqlx::query_scalar("select data from events where stream_id = $1 and type = 'AnalysisQueued'")
            .bind(game_id)
            .fetch_one(pool)
            .await
            .expect("it was queued");
    let queued = AnalysisQueued::decode(data.as_slice()).expect("readable");
    queued.notices.into_iter().map(|notice| (notice.kind(), notice.player_id)).collect()
}

#[tokio::test]
async fn what_is_noticed_without_an_engine_is_told_with_the_game_and_moves_it_forward() {
    // FAIR-26
    let database = database().await;
    let pool = &database.pool;
    let ordinary = ended(pool, Match::of_strangers(), OPERA, EndReason::Checkmate, human).await;
    assert_eq!(notices(pool, ordinary.game_id).await, []);
    let short = ended(pool, Match::of_strangers(), FOOLS_MATE, EndReason::Checkmate, human).await;
    assert_eq!(notices(pool, short.game_id).await, [(ScreenNoticeKind::TooShort, String::new())]);
    // White wins the third game in a row, and the loser had resigned after four plies.
    let (gains, gives) = (Uuid::now_v7(), Uuid::now_v7());
    let mut last = ordinary;
    for _ in 0..3 {
        last = ended(pool, Match::new(gains, gives), FOOLS_MATE, EndReason::Resignation, human).await;
    }
    let wanted = [
        (ScreenNoticeKind::TooShort, String::new()),
        (ScreenNoticeKind::GivenUpEarly, gives.to_string()),
        (ScreenNoticeKind::OneSidedPair, gains.to_string()),
    ];
    assert_eq!(notices(pool, last.game_id).await, wanted);

    let clockwork = ended(pool, Match::of_strangers(), OPERA, EndReason::Checkmate, even).await;
    let told = notices(pool, clockwork.game_id).await;
    assert!(told.contains(&(ScreenNoticeKind::EvenTimes, clockwork.white.to_string())), "{told:?}");
    assert!(told.contains(&(ScreenNoticeKind::FlatTimes, clockwork.white.to_string())), "{told:?}");

    let mut order = Vec::new();
    while let Some(claim) = jobs::claim(pool, PATIENCE).await.expect("answered") {
        order.push(claim.game_id);
    }
    assert_eq!(order.len(), 6);
    assert_eq!(order[2..4], [last.game_id, clockwork.game_id], "what was noticed goes first");
    assert_eq!(order[4..], [ordinary.game_id, short.game_id], "the others in their turn");
}

fn by<T>(role: Role, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Authentication::Known(Principal {
        player_id: Uuid::now_v7(),
        name: "Olga".to_owned(),
        roles: Roles::of(&[Role::Player, role]),
        expires_at: std::time::SystemTime::now() + PATIENCE,
    }));
    request
}

async fn listed(service: &Service, role: Role) -> Result<Vec<ParkedAnalysis>, Status> {
    let mut all = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListParkedAnalysesRequest { page_size: 1, page_token };
        let page = service.list_parked_analyses(by(role, request)).await?.into_inner();
        all.extend(page.analyses);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(all);
        }
    }
}

#[tokio::test]
async fn an_operator_sees_what_was_given_up_and_has_it_tried_again() {
    // FAIR-16
    let database = database().await;
    let pool = &database.pool;
    let calibration = Arc::new(calibration::file::bundled());
    let service = Service { pool: pool.clone(), calibration, signal: CommitSignal::new() };
    let engine = FakeEngine::new("exit 139");
    let failing = Running::start(pool, settings(engine.config()));
    let mut games = Vec::new();
    for _ in 0..2 {
        let pairing = ended(pool, Match::of_strangers(), OPERA, EndReason::Checkmate, human).await;
        parked(pool, pairing.game_id).await;
        games.push(pairing.game_id);
    }
    failing.stop().await;
    let given_up = listed(&service, Role::Operator).await.expect("an operator");
    let ids: Vec<String> = given_up.iter().map(|one| one.game_id.clone()).collect();
    assert_eq!(ids, games.iter().map(Uuid::to_string).collect::<Vec<_>>(), "the oldest first");
    assert!(given_up.iter().all(|one| one.attempts == 3 && !one.cause.is_empty() && !one.is_second_pass));

    let retry = |game_id: Uuid| RetryAnalysisRequest {
        game_id: game_id.to_string(),
        reason: "the engine was replaced".to_owned(),
    };
    for role in [Role::Player, Role::Moderator] {
        assert_eq!(listed(&service, role).await.expect_err("no operator").code(), Code::PermissionDenied);
        let refused = service.retry_analysis(by(role, retry(games[0]))).await.expect_err("no operator");
        assert_eq!(refused.code(), Code::PermissionDenied);
    }
    let unknown = service.retry_analysis(by(Role::Operator, retry(Uuid::now_v7()))).await;
    assert_eq!(unknown.expect_err("no such game").code(), Code::NotFound);
    for _ in 0..2 {
        service.retry_analysis(by(Role::Operator, retry(games[0]))).await.expect("queued, and once");
    }
    let running = Running::start(pool, settings(stockfish()));
    report(pool, games[0]).await;
    running.stop().await;
    assert_eq!(
        events_of(pool, games[0]).await,
        ["AnalysisQueued", "AnalysisParked", "AnalysisRetried", "ReportReady"]
    );
    assert_eq!(listed(&service, Role::Operator).await.expect("an operator").len(), 1);
}
