//! The calls: one file each. Anybody may read ratings; correcting them needs a role.

mod convert;
mod correct;
mod correct_rating;
mod get_leaderboard_place;
mod get_rating_series;
mod get_ratings;
mod list_leaderboard;
mod list_pools;
mod list_rating_history;
mod preview_recomputation;
mod role;
mod status;
mod void_game;

use event_bus::CommitSignal;
use proto::rating::v1 as wire;
use proto::rating::v1::rating_service_server::{RatingService, RatingServiceServer};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

/// The service on its database.
#[derive(Debug, Clone)]
pub struct Service {
    pool: PgPool,
    signal: CommitSignal,
}

impl Service {
    /// Ready to be added to a server. The signal is set after each correction.
    #[must_use]
    pub fn server(pool: PgPool, signal: CommitSignal) -> RatingServiceServer<Self> {
        RatingServiceServer::new(Self { pool, signal })
    }
}

#[tonic::async_trait]
impl RatingService for Service {
    async fn list_pools(
        &self,
        _: Request<wire::ListPoolsRequest>,
    ) -> Result<Response<wire::ListPoolsResponse>, Status> {
        Ok(Response::new(list_pools::answer()))
    }

    async fn get_ratings(
        &self,
        request: Request<wire::GetRatingsRequest>,
    ) -> Result<Response<wire::GetRatingsResponse>, Status> {
        get_ratings::handle(&self.pool, request.into_inner()).await
    }

    async fn list_rating_history(
        &self,
        request: Request<wire::ListRatingHistoryRequest>,
    ) -> Result<Response<wire::ListRatingHistoryResponse>, Status> {
        list_rating_history::handle(&self.pool, request.into_inner()).await
    }

    async fn get_rating_series(
        &self,
        request: Request<wire::GetRatingSeriesRequest>,
    ) -> Result<Response<wire::GetRatingSeriesResponse>, Status> {
        get_rating_series::handle(&self.pool, request.into_inner()).await
    }

    async fn list_leaderboard(
        &self,
        request: Request<wire::ListLeaderboardRequest>,
    ) -> Result<Response<wire::ListLeaderboardResponse>, Status> {
        list_leaderboard::handle(&self.pool, request.into_inner()).await
    }

    async fn get_leaderboard_place(
        &self,
        request: Request<wire::GetLeaderboardPlaceRequest>,
    ) -> Result<Response<wire::GetLeaderboardPlaceResponse>, Status> {
        get_leaderboard_place::handle(&self.pool, request.into_inner()).await
    }

    async fn void_game(
        &self,
        request: Request<wire::VoidGameRequest>,
    ) -> Result<Response<wire::VoidGameResponse>, Status> {
        void_game::handle(self, request).await
    }

    async fn correct_rating(
        &self,
        request: Request<wire::CorrectRatingRequest>,
    ) -> Result<Response<wire::CorrectRatingResponse>, Status> {
        correct_rating::handle(self, request).await
    }

    async fn preview_recomputation(
        &self,
        request: Request<wire::PreviewRecomputationRequest>,
    ) -> Result<Response<wire::PreviewRecomputationResponse>, Status> {
        preview_recomputation::handle(&self.pool, request).await
    }
}

/// The wall clock's time since the Unix epoch.
fn now_ms() -> i64 {
    let now = OffsetDateTime::now_utc();
    now.unix_timestamp() * 1_000 + i64::from(now.millisecond())
}
