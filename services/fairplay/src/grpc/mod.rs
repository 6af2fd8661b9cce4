//! The edge: requests are parsed here, and only here, and answers are put on the wire.

mod analyses;
mod decide_case;
mod get_calibration;
mod get_case;
mod get_game_report;
mod get_pair_allowance;
mod get_player_assessment;
mod link_accounts;
mod list_cases;
mod list_reviews;
mod list_signals;
mod report_player;
mod unlink_account;

use std::sync::Arc;

use domain_fairplay::calibration::Calibration;
use event_store::CommitSignal;
use proto::fairplay::v1::fairplay_service_server::FairplayService;
use proto::fairplay::v1::{
    DecideCaseRequest, DecideCaseResponse, GetCalibrationRequest, GetCalibrationResponse,
    GetGameReportRequest, GetGameReportResponse, GetPairAllowanceRequest, GetPairAllowanceResponse,
    GetPlayerAssessmentRequest, GetPlayerAssessmentResponse, LinkAccountsRequest, LinkAccountsResponse,
    ListCasesRequest, ListCasesResponse, ListReviewsRequest, ListReviewsResponse, ListSignalsRequest,
    ListSignalsResponse, ReportPlayerRequest, ReportPlayerResponse, UnlinkAccountRequest,
    UnlinkAccountResponse,
};
use service_kit::fields::Violations;
use service_kit::status;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::app::standing::StandingError;

/// The most characters of a reason that a person gives.
const REASON_CHARS_MAX: usize = 2_000;
/// Items in a page, unless asked for; and at most.
const PAGE_SIZE: u32 = 50;
const PAGE_SIZE_MAX: u32 = 200;

/// The rpcs; each stands in a file of its own.
#[derive(Debug, Clone)]
pub struct Service {
    /// The projections.
    pub pool: PgPool,
    /// What evidence is scored with.
    pub calibration: Arc<Calibration>,
    /// Wakes the relay after a commit.
    pub signal: CommitSignal,
}

#[tonic::async_trait]
impl FairplayService for Service {
    async fn get_game_report(
        &self,
        request: Request<GetGameReportRequest>,
    ) -> Result<Response<GetGameReportResponse>, Status> {
        get_game_report::handle(self, request).await
    }

    async fn get_pair_allowance(
        &self,
        request: Request<GetPairAllowanceRequest>,
    ) -> Result<Response<GetPairAllowanceResponse>, Status> {
        get_pair_allowance::handle(self, request).await
    }

    async fn get_player_assessment(
        &self,
        request: Request<GetPlayerAssessmentRequest>,
    ) -> Result<Response<GetPlayerAssessmentResponse>, Status> {
        get_player_assessment::handle(self, request).await
    }

    async fn list_cases(
        &self,
        request: Request<ListCasesRequest>,
    ) -> Result<Response<ListCasesResponse>, Status> {
        list_cases::handle(self, request).await
    }

    async fn decide_case(
        &self,
        request: Request<DecideCaseRequest>,
    ) -> Result<Response<DecideCaseResponse>, Status> {
        decide_case::handle(self, request).await
    }

    async fn report_player(
        &self,
        request: Request<ReportPlayerRequest>,
    ) -> Result<Response<ReportPlayerResponse>, Status> {
        report_player::handle(self, request).await
    }

    async fn get_calibration(
        &self,
        request: Request<GetCalibrationRequest>,
    ) -> Result<Response<GetCalibrationResponse>, Status> {
        get_calibration::handle(self, &request)
    }

    async fn list_reviews(
        &self,
        request: Request<ListReviewsRequest>,
    ) -> Result<Response<ListReviewsResponse>, Status> {
        list_reviews::handle(self, request).await
    }

    async fn list_signals(
        &self,
        request: Request<ListSignalsRequest>,
    ) -> Result<Response<ListSignalsResponse>, Status> {
        list_signals::handle(self, request).await
    }

    async fn link_accounts(
        &self,
        request: Request<LinkAccountsRequest>,
    ) -> Result<Response<LinkAccountsResponse>, Status> {
        link_accounts::handle(self, request).await
    }

    async fn unlink_account(
        &self,
        request: Request<UnlinkAccountRequest>,
    ) -> Result<Response<UnlinkAccountResponse>, Status> {
        unlink_account::handle(self, request).await
    }
}

/// The reason that a person gives, without blanks around it.
fn read_reason(text: &str, bad: &mut Violations) -> String {
    let reason = text.trim();
    if !(1..=REASON_CHARS_MAX).contains(&reason.chars().count()) || reason.contains('\0') {
        bad.add("reason", "must be 1 to 2,000 characters");
    }
    reason.to_owned()
}

fn page_size(asked: u32) -> u32 {
    if asked == 0 { PAGE_SIZE } else { asked.min(PAGE_SIZE_MAX) }
}

fn standing_status(error: StandingError) -> Status {
    match error {
        StandingError::Append(error) => status::from_append(&error),
        StandingError::Unavailable(error) => status::from_sqlx(&error),
    }
}
