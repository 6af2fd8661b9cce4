//! The edge: requests are parsed here, and only here, and answers are put on the wire.

mod block_player;
mod city_settings;
mod convert;
mod create_city;
mod join_queue;
mod leave_queue;
mod list_blocked_players;
mod list_cities;
mod list_queues;
mod status;
mod update_city;

use event_store::CommitSignal;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingService;
use proto::matchmaking::v1::{
    BlockPlayerRequest, BlockPlayerResponse, CreateCityRequest, CreateCityResponse, JoinQueueRequest,
    JoinQueueResponse, LeaveQueueRequest, LeaveQueueResponse, ListBlockedPlayersRequest,
    ListBlockedPlayersResponse, ListCitiesRequest, ListCitiesResponse, UnblockPlayerRequest,
    UnblockPlayerResponse, UpdateCityRequest, UpdateCityResponse,
};
use service_kit::auth::{self, Role};
use service_kit::streams::FrameStream;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::app::block::Wish;
use crate::app::cities::Cities;
use crate::app::notices::Notices;
use crate::app::queue::Queue;
use crate::store::matches;

/// The rpcs; each stands in a file of its own.
#[derive(Debug, Clone)]
pub struct Service {
    /// The projections.
    pub pool: PgPool,
    /// The queue's task.
    pub queue: Queue,
    /// The cities.
    pub cities: Cities,
    /// The way to the other instances.
    pub notices: Notices,
    /// Wakes the relay after a commit.
    pub signal: CommitSignal,
    /// Ends the streams.
    pub shutdown: CancellationToken,
}

impl Service {
    async fn counts(&self) -> Result<convert::Counts, sqlx::Error> {
        let waiting = self.queue.waiting().await;
        let playing = matches::playing(&self.pool).await?.into_iter();
        let playing = playing.map(|(city, games)| (city, u32::try_from(games).unwrap_or(u32::MAX)));
        Ok(convert::Counts { waiting, playing: playing.collect() })
    }
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

    async fn create_city(
        &self,
        request: Request<CreateCityRequest>,
    ) -> Result<Response<CreateCityResponse>, Status> {
        create_city::handle(self, request).await
    }

    async fn block_player(
        &self,
        request: Request<BlockPlayerRequest>,
    ) -> Result<Response<BlockPlayerResponse>, Status> {
        let principal = auth::principal(&request)?;
        auth::require_role(&principal, Role::Player)?;
        let BlockPlayerRequest { request_id, player_id } = request.get_ref();
        let asked = block_player::Asked { request_id, player_id };
        block_player::handle(self, &principal, asked, Wish::Block).await?;
        Ok(Response::new(BlockPlayerResponse {}))
    }

    async fn unblock_player(
        &self,
        request: Request<UnblockPlayerRequest>,
    ) -> Result<Response<UnblockPlayerResponse>, Status> {
        let principal = auth::principal(&request)?;
        auth::require_role(&principal, Role::Player)?;
        let UnblockPlayerRequest { request_id, player_id } = request.get_ref();
        let asked = block_player::Asked { request_id, player_id };
        block_player::handle(self, &principal, asked, Wish::Unblock).await?;
        Ok(Response::new(UnblockPlayerResponse {}))
    }

    async fn list_blocked_players(
        &self,
        request: Request<ListBlockedPlayersRequest>,
    ) -> Result<Response<ListBlockedPlayersResponse>, Status> {
        let principal = auth::principal(&request)?;
        list_blocked_players::handle(self, &principal).await
    }

    async fn update_city(
        &self,
        request: Request<UpdateCityRequest>,
    ) -> Result<Response<UpdateCityResponse>, Status> {
        update_city::handle(self, request).await
    }
}
