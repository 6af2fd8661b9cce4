//! The calls: one file each. Anybody may read ratings.

mod convert;
mod get_ratings;
mod list_rating_history;
mod status;

use proto::rating::v1::rating_service_server::{RatingService, RatingServiceServer};
use proto::rating::v1::{
    GetRatingsRequest, GetRatingsResponse, ListRatingHistoryRequest, ListRatingHistoryResponse,
};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

/// The service on its database.
#[derive(Debug, Clone)]
pub struct Service {
    pool: PgPool,
}

impl Service {
    /// Ready to be added to a server.
    #[must_use]
    pub fn server(pool: PgPool) -> RatingServiceServer<Self> {
        RatingServiceServer::new(Self { pool })
    }
}

#[tonic::async_trait]
impl RatingService for Service {
    async fn get_ratings(
        &self,
        request: Request<GetRatingsRequest>,
    ) -> Result<Response<GetRatingsResponse>, Status> {
        get_ratings::handle(&self.pool, request.into_inner()).await
    }

    async fn list_rating_history(
        &self,
        request: Request<ListRatingHistoryRequest>,
    ) -> Result<Response<ListRatingHistoryResponse>, Status> {
        list_rating_history::handle(&self.pool, request.into_inner()).await
    }
}
