//! The calls: one file each, all for reading. Nobody moves money by a call.

mod convert;
mod get_balance;
mod list_statement;
mod status;

use proto::wallet::v1::wallet_service_server::{WalletService, WalletServiceServer};
use proto::wallet::v1::{GetBalanceRequest, GetBalanceResponse, ListStatementRequest, ListStatementResponse};
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
    pub fn server(pool: PgPool) -> WalletServiceServer<Self> {
        WalletServiceServer::new(Self { pool })
    }
}

#[tonic::async_trait]
impl WalletService for Service {
    async fn get_balance(
        &self,
        request: Request<GetBalanceRequest>,
    ) -> Result<Response<GetBalanceResponse>, Status> {
        get_balance::handle(&self.pool, &request).await
    }

    async fn list_statement(
        &self,
        request: Request<ListStatementRequest>,
    ) -> Result<Response<ListStatementResponse>, Status> {
        list_statement::handle(&self.pool, &request).await
    }
}
