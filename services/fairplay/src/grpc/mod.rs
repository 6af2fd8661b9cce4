//! The edge: requests are parsed here, and only here, and answers are put on the wire.

mod get_game_report;
mod get_pair_allowance;

use proto::fairplay::v1::fairplay_service_server::FairplayService;
use proto::fairplay::v1::{
    GetGameReportRequest, GetGameReportResponse, GetPairAllowanceRequest, GetPairAllowanceResponse,
};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

/// The rpcs; each stands in a file of its own.
#[derive(Debug, Clone)]
pub struct Service {
    /// The projections.
    pub pool: PgPool,
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
}
