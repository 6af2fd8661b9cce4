//! What a moderator reads of a case.

use std::sync::Arc;

use event_store::CommitSignal;
use fairplay::app::cases::{self, OpponentReport};
use fairplay::grpc::Service;
use proto::fairplay::v1::case_service_server::CaseService as _;
use proto::fairplay::v1::fairplay_service_server::FairplayService as _;
use proto::fairplay::v1::{
    CaseDecision, DecideCaseRequest, GetCaseRequest, GetCaseResponse, ListCasesRequest,
};
use service_kit::auth::{Authentication, Principal, Role, Roles};
use sqlx::PgPool;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::support::{PATIENCE, database};

fn service(pool: &PgPool) -> Service {
    let calibration = Arc::new(calibration::file::bundled());
    Service { pool: pool.clone(), calibration, signal: CommitSignal::new() }
}

fn by<T>(player_id: Uuid, role: Role, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Authentication::Known(Principal {
        player_id,
        name: "Mira".to_owned(),
        roles: Roles::of(&[Role::Player, role]),
        expires_at: std::time::SystemTime::now() + PATIENCE,
    }));
    request
}

async fn read(service: &Service, role: Role, case_id: &str) -> Result<GetCaseResponse, Status> {
    let request = by(Uuid::now_v7(), role, GetCaseRequest { case_id: case_id.to_owned() });
    Ok(service.get_case(request).await?.into_inner())
}

/// A player with an open case.
async fn opened(pool: &PgPool) -> (Uuid, Uuid) {
    let (player_id, case_id) = (Uuid::now_v7(), Uuid::now_v7());
    sqlx::query("insert into players (player_id, is_barred) values ($1, true)")
        .bind(player_id)
        .execute(pool)
        .await
        .expect("written");
    sqlx::query(
        "insert into cases (case_id, player_id, time_class, opened_at_ms) values ($1, $2, 'blitz', 7)",
    )
    .bind(case_id)
    .bind(player_id)
    .execute(pool)
    .await
    .expect("written");
    (player_id, case_id)
}

#[tokio::test]
async fn a_case_shows_every_decision_with_its_reason_and_what_others_reported() {
    let database = database().await;
    let service = service(&database.pool);
    let (player_id, case_id) = opened(&database.pool).await;
    let (_, other_case) = opened(&database.pool).await;
    let moderator = Uuid::now_v7();
    for (case_id, decision, reason) in [
        (case_id, CaseDecision::Confirmed, "nobody plays like that"),
        (other_case, CaseDecision::Cleared, "another story"),
        (case_id, CaseDecision::Cleared, "he streamed his games"),
    ] {
        let request = DecideCaseRequest {
            case_id: case_id.to_string(),
            decision: decision.into(),
            reason: reason.to_owned(),
        };
        service.decide_case(by(moderator, Role::Moderator, request)).await.expect("decided");
    }
    let report = OpponentReport {
        reported_by: Uuid::now_v7(),
        game_id: Uuid::now_v7(),
        player_id,
        reason: "moves every three seconds".to_owned(),
    };
    cases::report(&database.pool, report.clone()).await.expect("reported");

    let told = read(&service, Role::Moderator, &case_id.to_string()).await.expect("told");
    let found = told.found.expect("a case");
    assert_eq!((found.case_id, found.decision), (case_id.to_string(), CaseDecision::Cleared.into()));
    let decisions: Vec<_> = told.decisions.iter().map(|one| (one.decision(), one.reason.as_str())).collect();
    assert_eq!(
        decisions,
        [
            (CaseDecision::Confirmed, "nobody plays like that"),
            (CaseDecision::Cleared, "he streamed his games")
        ]
    );
    assert!(told.decisions.iter().all(|one| one.decided_by == moderator.to_string()));
    let [reported] = &told.reports[..] else { panic!("one report") };
    assert_eq!(
        (reported.game_id.clone(), reported.reason.as_str()),
        (report.game_id.to_string(), "moves every three seconds")
    );
}

#[tokio::test]
async fn only_moderators_read_cases_and_an_unknown_one_is_not_found() {
    let database = database().await;
    let service = service(&database.pool);
    let (_, case_id) = opened(&database.pool).await;
    for role in [Role::Player, Role::Operator, Role::Computer] {
        for id in [case_id.to_string(), "7".to_owned()] {
            let refused = read(&service, role, &id).await.expect_err("no moderator");
            assert_eq!(refused.code(), Code::PermissionDenied);
        }
    }
    let unknown = read(&service, Role::Moderator, &Uuid::now_v7().to_string()).await;
    assert_eq!(unknown.expect_err("there is none").code(), Code::NotFound);
    let malformed = read(&service, Role::Moderator, "7").await;
    assert_eq!(malformed.expect_err("no id").code(), Code::InvalidArgument);
}

#[tokio::test]
async fn cases_come_page_by_page_the_oldest_first_and_each_once() {
    let database = database().await;
    let service = service(&database.pool);
    let mut opened_ids = Vec::new();
    for _ in 0..5 {
        opened_ids.push(opened(&database.pool).await.1.to_string());
    }
    // All were opened in one millisecond: the ids decide.
    opened_ids.sort();
    let mut seen = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListCasesRequest { page_size: 2, page_token, ..ListCasesRequest::default() };
        let page = service.list_cases(by(Uuid::now_v7(), Role::Moderator, request)).await.expect("a page");
        let page = page.into_inner();
        assert!(page.cases.len() <= 2);
        seen.extend(page.cases.into_iter().map(|case| case.case_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(seen, opened_ids);
    let request = ListCasesRequest { page_token: "somewhere".to_owned(), ..ListCasesRequest::default() };
    let refused = service.list_cases(by(Uuid::now_v7(), Role::Moderator, request)).await;
    assert_eq!(refused.expect_err("no token of ours").code(), Code::InvalidArgument);
}
