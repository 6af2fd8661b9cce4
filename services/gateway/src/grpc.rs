//! AccountService: one file an rpc.

mod convert;
mod get_account;
mod refresh_session;
mod sign_in;
mod sign_out;
mod sign_up;
mod status;

use proto::gateway::v1::account_service_server::AccountService;
use proto::gateway::v1::{
    GetAccountRequest, GetAccountResponse, RefreshSessionRequest, RefreshSessionResponse, SignInRequest,
    SignInResponse, SignOutRequest, SignOutResponse, SignUpRequest, SignUpResponse,
};
use tonic::{Request, Response, Status};

use crate::app::{Accounts, App};
use crate::store::{Buckets, Rate};

/// The service.
#[derive(Clone)]
pub struct Account<A> {
    app: App<A>,
    buckets: Buckets,
    rate: Rate,
}

impl<A: Accounts> Account<A> {
    /// With the use cases; `rate` limits the tries to sign in to one account, from wherever they come.
    pub fn new(app: App<A>, buckets: Buckets, rate: Rate) -> Self {
        Self { app, buckets, rate }
    }
}

#[tonic::async_trait]
impl<A: Accounts> AccountService for Account<A> {
    async fn sign_up(&self, request: Request<SignUpRequest>) -> Result<Response<SignUpResponse>, Status> {
        sign_up::handle(&self.app, request.into_inner()).await.map(Response::new)
    }

    async fn sign_in(&self, request: Request<SignInRequest>) -> Result<Response<SignInResponse>, Status> {
        sign_in::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn refresh_session(
        &self,
        request: Request<RefreshSessionRequest>,
    ) -> Result<Response<RefreshSessionResponse>, Status> {
        refresh_session::handle(&self.app, request.into_inner()).await.map(Response::new)
    }

    async fn sign_out(&self, request: Request<SignOutRequest>) -> Result<Response<SignOutResponse>, Status> {
        sign_out::handle(&self.app, request.into_inner()).await.map(Response::new)
    }

    async fn get_account(
        &self,
        request: Request<GetAccountRequest>,
    ) -> Result<Response<GetAccountResponse>, Status> {
        get_account::handle(&self.app, &request).await.map(Response::new)
    }
}
