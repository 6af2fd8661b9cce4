//! The edge: requests are parsed here, and only here, and answers are put on the wire.

mod decide_case;
mod get_calibration;
mod get_case;
mod get_game_report;
mod get_pair_allowance;
mod get_player_assessment;
mod list_cases;
mod report_player;

use std::sync::Arc;

use domain_fairplay::calibration::Calibration;
use event_store::CommitSignal;
use proto::fairplay::v1::fairplay_service_server::FairplayService;
use proto::fairplay::v1::{
    DecideCaseRequest, DecideCaseResponse, GetCalibrationRequest, GetCalibrationResponse,
    GetGameReportRequest, GetGameReportResponse, GetPairAllowanceRequest, GetPairAllowanceResponse,
    GetPlayerAssessmentRequest, GetPlayerAssessmentResponse, ListCasesRequest, ListCasesResponse,
    ReportPlayerRequest, ReportPlayerResponse,
};
use service_kit::status;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::app::standing::StandingError;

/// The most characters of a reason that a person gives.
const REASON_CHARS_MAX: usize = 2_000;

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
}

fn standing_status(error: StandingError) -> Status {
    match error {
        StandingError::Append(error) => status::from_append(&error),
        StandingError::Unavailable(error) => status::from_sqlx(&error),
    }
}
