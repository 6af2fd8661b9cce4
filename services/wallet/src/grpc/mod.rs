//! The calls: one file each, or one for a few short ones that share everything. Stakes are never moved by a call.

mod admin;
mod command;
mod convert;
mod create_deposit;
mod create_withdrawal;
mod export_statement;
mod get_balance;
mod ledger;
mod list_statement;
mod parse;
mod standing;
mod status;
mod watch_balance;

use std::sync::Arc;

use event_store::CommitSignal;
use proto::wallet::v1 as pb;
use proto::wallet::v1::ledger_service_server::LedgerServiceServer;
use proto::wallet::v1::wallet_admin_service_server::WalletAdminServiceServer;
use proto::wallet::v1::wallet_service_server::{WalletService, WalletServiceServer};
use service_kit::streams::FrameStream;
use sqlx::PgPool;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::app::desk::Desk;

/// The services on their database.
#[derive(Debug, Clone)]
pub struct Service {
    pool: PgPool,
    desk: Arc<Desk>,
    signal: CommitSignal,
    shutdown: CancellationToken,
    /// Lets one sum over the whole ledger be made at a time.
    summing: Arc<Semaphore>,
}

impl Service {
    /// With the desk's settings, and the signal that wakes the relay.
    #[must_use]
    pub fn new(pool: PgPool, desk: Arc<Desk>, signal: CommitSignal, shutdown: CancellationToken) -> Self {
        Self { pool, desk, signal, shutdown, summing: Arc::new(Semaphore::new(1)) }
    }

    /// What players call, ready to be added to a server.
    #[must_use]
    pub fn server(&self) -> WalletServiceServer<Self> {
        WalletServiceServer::new(self.clone())
    }

    /// What operators call, ready to be added to a server.
    #[must_use]
    pub fn admin_server(&self) -> WalletAdminServiceServer<Self> {
        WalletAdminServiceServer::new(self.clone())
    }

    /// The ledger as operators read it, ready to be added to a server.
    #[must_use]
    pub fn ledger_server(&self) -> LedgerServiceServer<Self> {
        LedgerServiceServer::new(self.clone())
    }
}

#[tonic::async_trait]
impl WalletService for Service {
    async fn get_balance(
        &self,
        request: Request<pb::GetBalanceRequest>,
    ) -> Result<Response<pb::GetBalanceResponse>, Status> {
        get_balance::handle(&self.pool, &request).await
    }

    async fn list_statement(
        &self,
        request: Request<pb::ListStatementRequest>,
    ) -> Result<Response<pb::ListStatementResponse>, Status> {
        list_statement::handle(&self.pool, &request).await
    }

    type ExportStatementStream = FrameStream<pb::ExportStatementResponse>;

    async fn export_statement(
        &self,
        request: Request<pb::ExportStatementRequest>,
    ) -> Result<Response<Self::ExportStatementStream>, Status> {
        export_statement::handle(&self.pool, &request).await
    }

    type WatchBalanceStream = FrameStream<pb::WatchBalanceResponse>;

    async fn watch_balance(
        &self,
        request: Request<pb::WatchBalanceRequest>,
    ) -> Result<Response<Self::WatchBalanceStream>, Status> {
        watch_balance::handle(&self.pool, &self.shutdown, &request).await
    }

    async fn create_deposit(
        &self,
        request: Request<pb::CreateDepositRequest>,
    ) -> Result<Response<pb::CreateDepositResponse>, Status> {
        create_deposit::handle(self, request).await
    }

    async fn create_withdrawal(
        &self,
        request: Request<pb::CreateWithdrawalRequest>,
    ) -> Result<Response<pb::CreateWithdrawalResponse>, Status> {
        create_withdrawal::handle(self, request).await
    }

    async fn get_standing(
        &self,
        request: Request<pb::GetStandingRequest>,
    ) -> Result<Response<pb::GetStandingResponse>, Status> {
        standing::get(self, &request).await
    }

    async fn set_limit(
        &self,
        request: Request<pb::SetLimitRequest>,
    ) -> Result<Response<pb::SetLimitResponse>, Status> {
        standing::set_limit(self, request).await
    }

    async fn exclude_myself(
        &self,
        request: Request<pb::ExcludeMyselfRequest>,
    ) -> Result<Response<pb::ExcludeMyselfResponse>, Status> {
        standing::exclude(self, request).await
    }

    async fn check_eligibility(
        &self,
        request: Request<pb::CheckEligibilityRequest>,
    ) -> Result<Response<pb::CheckEligibilityResponse>, Status> {
        standing::check(self, &request).await
    }
}
