//! What operators call. Each call asks for the role before it looks at anything else.

mod adjust_balance;
mod adjust_fund;
mod decide_adjustment;
mod list_adjustments;
mod list_victim_refunds;
mod reverse_transfer;
mod verify_identity;

use proto::wallet::v1 as pb;
use proto::wallet::v1::wallet_admin_service_server::WalletAdminService;
use service_kit::auth::{Principal, Role, principal, require_role};
use tonic::{Request, Response, Status};

use super::Service;

/// The operator who calls.
pub(super) fn operator<T>(request: &Request<T>) -> Result<Principal, Status> {
    let principal = principal(request)?;
    require_role(&principal, Role::Operator)?;
    Ok(principal)
}

#[tonic::async_trait]
impl WalletAdminService for Service {
    async fn adjust_balance(
        &self,
        request: Request<pb::AdjustBalanceRequest>,
    ) -> Result<Response<pb::AdjustBalanceResponse>, Status> {
        adjust_balance::handle(self, request).await
    }

    async fn decide_adjustment(
        &self,
        request: Request<pb::DecideAdjustmentRequest>,
    ) -> Result<Response<pb::DecideAdjustmentResponse>, Status> {
        decide_adjustment::handle(self, request).await
    }

    async fn list_adjustments(
        &self,
        request: Request<pb::ListAdjustmentsRequest>,
    ) -> Result<Response<pb::ListAdjustmentsResponse>, Status> {
        list_adjustments::handle(self, &request).await
    }

    async fn reverse_transfer(
        &self,
        request: Request<pb::ReverseTransferRequest>,
    ) -> Result<Response<pb::ReverseTransferResponse>, Status> {
        reverse_transfer::handle(self, request).await
    }

    async fn verify_identity(
        &self,
        request: Request<pb::VerifyIdentityRequest>,
    ) -> Result<Response<pb::VerifyIdentityResponse>, Status> {
        verify_identity::handle(self, request).await
    }

    async fn adjust_fund(
        &self,
        request: Request<pb::AdjustFundRequest>,
    ) -> Result<Response<pb::AdjustFundResponse>, Status> {
        adjust_fund::handle(self, request).await
    }

    async fn list_victim_refunds(
        &self,
        request: Request<pb::ListVictimRefundsRequest>,
    ) -> Result<Response<pb::ListVictimRefundsResponse>, Status> {
        list_victim_refunds::handle(self, &request).await
    }
}
