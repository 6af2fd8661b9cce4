//! The edge: requests are parsed here, and only here, and answers are put on the wire.

mod convert;
mod join_queue;
mod leave_queue;
mod list_cities;
mod status;

use std::sync::Arc;

use event_store::CommitSignal;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingService;
use proto::matchmaking::v1::{
    JoinQueueRequest, JoinQueueResponse, LeaveQueueRequest, LeaveQueueResponse, ListCitiesRequest,
    ListCitiesResponse,
};
use service_kit::streams::FrameStream;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::app::cities::Cities;
use crate::app::queue::Queue;

/// The rpcs; each stands in a file of its own.
#[derive(Debug, Clone)]
pub struct Service {
    /// The projections.
    pub pool: PgPool,
    /// The queue's task.
    pub queue: Queue,
    /// The cities.
    pub cities: Arc<Cities>,
    /// Wakes the relay after a commit.
    pub signal: CommitSignal,
    /// Ends the streams.
    pub shutdown: CancellationToken,
}

#[tonic::async_trait]
impl MatchmakingService for Service {
    type JoinQueueStream = FrameStream<JoinQueueResponse>;

    async fn join_queue(
        &self,
        request: Request<JoinQueueRequest>,
    ) -> Result<Response<Self::JoinQueueStream>, Status> {
        join_queue::handle(self, request).await
    }

    async fn leave_queue(
        &self,
        request: Request<LeaveQueueRequest>,
    ) -> Result<Response<LeaveQueueResponse>, Status> {
        leave_queue::handle(self, request).await
    }

    async fn list_cities(
        &self,
        _request: Request<ListCitiesRequest>,
    ) -> Result<Response<ListCitiesResponse>, Status> {
        list_cities::handle(self).await
    }
}
