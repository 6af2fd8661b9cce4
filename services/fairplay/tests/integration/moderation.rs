//! What a moderator and a player may ask over gRPC.

use std::sync::Arc;

use domain_fairplay::pairs::UtcDay;
use event_store::Metadata;
use fairplay::app::collusion::look_at;
use fairplay::app::standing::{self, Subject};
use fairplay::bus::{GameEvents, MatchEvents};
use fairplay::store::evidence::{self, NewSide, Stakes};
use fairplay::store::jobs::{self, NewJob, Priority};
use proto::fairplay::v1::{
    CaseDecision, Channel, CollusionKind, DecideCaseRequest, EvidenceLevel, GetCalibrationRequest,
    GetGameReportRequest, GetPairAllowanceRequest, GetPlayerAssessmentRequest, GetPlayerAssessmentResponse,
    LinkAccountsRequest, ListCasesRequest, ListReviewsRequest, ListSignalsRequest, ReportPlayerRequest,
    SideEvidence, SideReport, UnlinkAccountRequest,
};
use proto::game::v1::{EndReason, GameResult};
use service_kit::auth::Role;
use sqlx::PgPool;
use tokio::sync::Notify;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;

use crate::support::deliver;
use crate::support::events::{BEFORE_MIDNIGHT_MS, End, FOOLS_MATE, Match};
use crate::support::world::{Service, World};

fn reason(status: &Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

/// Games with so much evidence that a player who had a second pass over them is flagged.
async fn flag(pool: &PgPool, player_id: Uuid) {
    let calibration = calibration::file::bundled();
    let channel = Channel { moves: 20, observed: 9.0, expected: 9.0, variance: 4.0 };
    let side = SideReport {
        evidence: Some(SideEvidence {
            rating: 1500.0,
            time_class: "blitz".to_owned(),
            score: 1.0,
            engine: vec![5.0; 6],
            human: vec![0.0; 5],
            matches: Some(channel),
            spared: Some(channel),
            matches_stronger: Some(channel),
            spared_stronger: Some(channel),
            ..SideEvidence::default()
        }),
        ..SideReport::default()
    };
    for number in 0..7 {
        let game_id = Uuid::now_v7();
        let mut tx = pool.begin().await.expect("a transaction");
        let job =
            NewJob { game_id, white_id: player_id, black_id: Uuid::now_v7(), priority: Priority::Staked };
        assert!(jobs::insert(&mut tx, job).await.expect("written"));
        let new = NewSide {
            player_id,
            game_id,
            time_class: "blitz",
            ended_at_ms: number,
            pass: 2,
            side: &side,
            stakes: Stakes::Staked,
        };
        evidence::put(&mut tx, new).await.expect("written");
        let subject = Subject { player_id, time_class: "blitz" };
        let metadata = Metadata::for_request("fairplay", game_id);
        standing::update(&mut tx, &calibration, subject, metadata).await.expect("updated");
        tx.commit().await.expect("committed");
    }
}

struct Asker<'a> {
    world: &'a World,
    service: &'a Service,
    player_id: Uuid,
    role: Role,
}

/// Asks one rpc as somebody.
macro_rules! ask {
    ($asker:expr, $rpc:ident, $request:expr) => {{
        let asker = &$asker;
        let mut client = asker.service.client.clone();
        client
            .$rpc(asker.world.request(asker.player_id, asker.role, $request))
            .await
            .map(tonic::Response::into_inner)
    }};
}

impl Asker<'_> {
    async fn assessment(&self, player_id: Uuid) -> Result<GetPlayerAssessmentResponse, Status> {
        let player_id = player_id.to_string();
        ask!(self, get_player_assessment, GetPlayerAssessmentRequest { player_id })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moderator_sees_cases_decides_them_and_the_player_sees_his_own() {
    let world = World::new().await;
    let service = world.start(None).await;
    let (cheat, pool) = (Uuid::now_v7(), world.database.pool.clone());
    flag(&pool, cheat).await;
    let as_role = |player_id, role| Asker { world: &world, service: &service, player_id, role };
    let (moderator, own) = (as_role(Uuid::now_v7(), Role::Moderator), as_role(cheat, Role::Player));
    let stranger = as_role(Uuid::now_v7(), Role::Player);

    let seen = own.assessment(cheat).await.expect("his own");
    assert_eq!(seen.assessments[0].level(), EvidenceLevel::Flag);
    assert!(seen.is_barred && seen.prizes_held_until_ms > 0);
    let levels: Vec<EvidenceLevel> = seen.history.iter().map(|change| change.after()).collect();
    assert_eq!(levels.first(), Some(&EvidenceLevel::Flag), "the newest first: {levels:?}");
    assert!(levels.len() >= 2);
    let refused = stranger.assessment(cheat).await.expect_err("not his");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "ASSESSMENT_UNKNOWN"));

    let listed = ask!(moderator, list_reviews, ListReviewsRequest::default()).expect("answered");
    assert_eq!(listed.reviews.len(), 1);
    assert!(listed.reviews[0].is_barred);
    let cases = ask!(moderator, list_cases, ListCasesRequest::default()).expect("answered").cases;
    assert_eq!((cases.len(), cases[0].player_id.clone()), (1, cheat.to_string()));
    let decide = |decision: CaseDecision, reason: &str| DecideCaseRequest {
        case_id: cases[0].case_id.clone(),
        decision: decision.into(),
        reason: reason.to_owned(),
    };
    for asker in [&own, &stranger] {
        let refused =
            ask!(*asker, decide_case, decide(CaseDecision::Cleared, "I am clean")).expect_err("a player");
        assert_eq!(refused.code(), Code::PermissionDenied);
    }
    let blank = ask!(moderator, decide_case, decide(CaseDecision::Cleared, " ")).expect_err("no reason");
    assert_eq!(blank.code(), Code::InvalidArgument);
    let decided =
        ask!(moderator, decide_case, decide(CaseDecision::Confirmed, "clear enough")).expect("decided");
    let decided = decided.decided.expect("a case");
    assert_eq!(
        (decided.decision(), decided.decided_by),
        (CaseDecision::Confirmed, moderator.player_id.to_string())
    );
    let open = ask!(moderator, list_cases, ListCasesRequest::default()).expect("answered").cases;
    assert_eq!(open.len(), 0);
    ask!(moderator, decide_case, decide(CaseDecision::Cleared, "a known master")).expect("decided");
    assert!(!own.assessment(cheat).await.expect("his own").is_barred);
    let all = ListCasesRequest { with_decided: true, ..ListCasesRequest::default() };
    assert_eq!(ask!(moderator, list_cases, all).expect("answered").cases[0].reason, "a known master");
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moderator_links_accounts_and_nobody_else_does_or_sees_it() {
    let world = World::new().await;
    let service = world.start(None).await;
    let (one, other, opponent) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    let as_role = |player_id, role| Asker { world: &world, service: &service, player_id, role };
    let (moderator, own) = (as_role(Uuid::now_v7(), Role::Moderator), as_role(one, Role::Player));
    let link = |a: Uuid, b: Uuid| LinkAccountsRequest {
        player_id: a.to_string(),
        other_player_id: b.to_string(),
        reason: "one passport".to_owned(),
    };
    assert_eq!(
        ask!(own, link_accounts, link(one, other)).expect_err("a player").code(),
        Code::PermissionDenied
    );
    assert_eq!(
        ask!(moderator, link_accounts, link(one, one)).expect_err("one").code(),
        Code::InvalidArgument
    );
    let person = ask!(moderator, link_accounts, link(other, one)).expect("linked");
    assert_eq!((person.person_id, person.player_ids.len()), (one.to_string(), 2));
    let pairing = Match::new(other, opponent);
    let now_ms = time::OffsetDateTime::now_utc().unix_timestamp() * 1_000;
    deliver(&world.database.pool, &MatchEvents, &pairing.proposed(now_ms).message()).await.expect("handled");
    let allowance = |opponent_id: Uuid| GetPairAllowanceRequest { opponent_id: opponent_id.to_string() };
    let left = ask!(own, get_pair_allowance, allowance(opponent)).expect("answered");
    assert_eq!((left.used, left.limit), (1, 6), "what the other account played counts");
    let himself = ask!(own, get_pair_allowance, allowance(other)).expect("answered");
    assert_eq!((himself.used, himself.limit), (0, 0));
    assert_eq!(own.assessment(one).await.expect("his own").linked_player_ids, [""; 0]);
    let linked = moderator.assessment(one).await.expect("a moderator").linked_player_ids;
    assert_eq!(linked, [other.to_string()]);
    let unlink = UnlinkAccountRequest { player_id: one.to_string(), reason: "two brothers".to_owned() };
    let rest = ask!(moderator, unlink_account, unlink).expect("unlinked");
    assert_eq!(rest.remaining_player_ids, [other.to_string()]);
    let left = ask!(own, get_pair_allowance, allowance(opponent)).expect("answered");
    assert_eq!(left.used, 1, "what was counted under the person's name today stays with the name");
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signs_reports_and_the_calibration_are_read_and_reports_of_opponents_are_limited() {
    // I16
    let world = World::new().await;
    let service = world.start(None).await;
    let pool = world.database.pool.clone();
    let (loser, winner) = (Uuid::now_v7(), Uuid::now_v7());
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    let mut played = Vec::new();
    for number in 0..6 {
        let pairing = Match::new(loser, winner);
        let at_ms = BEFORE_MIDNIGHT_MS - 1_000 * number;
        deliver(&pool, &MatchEvents, &pairing.proposed(at_ms).message()).await.expect("handled");
        let (match_id, result) = (Some(pairing.match_id), GameResult::BlackWins);
        let end = End { match_id, result, reason: EndReason::Resignation, at_ms };
        deliver(&pool, &games, &pairing.ended_with(FOOLS_MATE, end).message()).await.expect("handled");
        played.push(pairing);
    }
    look_at(&pool, UtcDay::of_unix_ms(BEFORE_MIDNIGHT_MS)).await.expect("looked").expect("the first time");
    let as_role = |player_id, role| Asker { world: &world, service: &service, player_id, role };
    let (moderator, own) = (as_role(Uuid::now_v7(), Role::Moderator), as_role(loser, Role::Player));
    let listed = ask!(moderator, list_signals, ListSignalsRequest::default()).expect("answered").signals;
    assert!(listed.iter().any(|signal| signal.kind() == CollusionKind::ShortWins), "{listed:?}");
    assert_eq!(
        ask!(own, list_signals, ListSignalsRequest::default()).expect_err("a player").code(),
        Code::PermissionDenied
    );
    for player_id in [loser, winner] {
        assert_eq!(moderator.assessment(player_id).await.expect("a moderator").signals, listed);
    }
    let game_id = played[0].game_id.to_string();
    let report =
        ask!(own, get_game_report, GetGameReportRequest { game_id: game_id.clone() }).expect("his own");
    assert!(!report.signals.is_empty());
    assert!(report.report.is_none() && report.pgn.is_empty(), "there is no engine");

    for (number, pairing) in played.iter().enumerate() {
        let game_id = pairing.game_id.to_string();
        let request = ReportPlayerRequest { game_id, reason: "he plays like an engine".to_owned() };
        let answer = ask!(own, report_player, request);
        if number < 5 {
            assert_eq!(answer.expect("noted").player_id, winner.to_string());
        } else {
            let refused = answer.expect_err("one too many");
            assert_eq!(
                (refused.code(), reason(&refused)),
                (Code::ResourceExhausted, "TOO_MANY_REPORTS".to_owned())
            );
            assert!(refused.get_error_details().retry_info().is_some());
        }
    }
    let foreign = ReportPlayerRequest { game_id, reason: "x".to_owned() };
    let stranger = as_role(Uuid::now_v7(), Role::Player);
    assert_eq!(ask!(stranger, report_player, foreign).expect_err("not his game").code(), Code::NotFound);

    let calibration = ask!(own, get_calibration, GetCalibrationRequest {}).expect("answered");
    let read = calibration::file::read(&calibration.file).expect("a calibration");
    assert_eq!((read.id, read.basis.engine), (calibration.calibration_id, calibration.engine));
    service.stop().await;
}
