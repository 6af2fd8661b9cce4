//! A service that is healthy and, as the gateway, signs everybody in. The launcher starts this very test program as
//! one through a small script.

use std::net::SocketAddr;

use proto::gateway::v1::account_service_server::{AccountService, AccountServiceServer};
use proto::gateway::v1::{
    GetAccountRequest, GetAccountResponse, RefreshSessionRequest, RefreshSessionResponse, SignInRequest,
    SignInResponse, SignOutRequest, SignOutResponse, SignUpRequest, SignUpResponse,
};
use tokio::signal::unix::{SignalKind, signal};
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// Names the service that this process is to be.
pub const ROLE: &str = "STAKEMATE_TEST_ROLE";

/// Knows nobody until he signs up.
#[derive(Default)]
struct Accounts {
    names: std::sync::Mutex<Vec<String>>,
}

#[tonic::async_trait]
impl AccountService for Accounts {
    async fn sign_in(&self, request: Request<SignInRequest>) -> Result<Response<SignInResponse>, Status> {
        let names = self.names.lock().expect("no test panics with it");
        match names.contains(&request.get_ref().name) {
            true => Ok(Response::new(SignInResponse::default())),
            false => Err(Status::unauthenticated("unknown")),
        }
    }

    async fn sign_up(&self, request: Request<SignUpRequest>) -> Result<Response<SignUpResponse>, Status> {
        let mut names = self.names.lock().expect("no test panics with it");
        names.push(request.into_inner().name);
        Ok(Response::new(SignUpResponse::default()))
    }

    async fn refresh_session(
        &self,
        _: Request<RefreshSessionRequest>,
    ) -> Result<Response<RefreshSessionResponse>, Status> {
        Err(Status::unimplemented("the launcher refreshes nothing"))
    }

    async fn sign_out(&self, _: Request<SignOutRequest>) -> Result<Response<SignOutResponse>, Status> {
        Err(Status::unimplemented("the launcher signs nobody out"))
    }

    async fn get_account(
        &self,
        _: Request<GetAccountRequest>,
    ) -> Result<Response<GetAccountResponse>, Status> {
        Err(Status::unimplemented("the launcher asks for no account"))
    }
}

fn address(variable: &str) -> SocketAddr {
    let value = std::env::var(variable).expect("the launcher tells it");
    value.parse().expect("an address")
}

/// Not a test of its own: without the variable it has nothing to do.
#[tokio::test]
async fn fake_service() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let mut stop = signal(SignalKind::terminate()).expect("a signal");
    let (_, health) = tonic_health::server::health_reporter();
    let grpc = Server::builder().add_service(health).serve(address("STAKEMATE_GRPC_ADDRESS"));
    if role == "gateway" {
        let edge = Server::builder()
            .add_service(AccountServiceServer::new(Accounts::default()))
            .serve(address("STAKEMATE_EDGE_ADDRESS"));
        tokio::select! {
            ended = grpc => ended.expect("a free port"),
            ended = edge => ended.expect("a free port"),
            _ = stop.recv() => {}
        }
    } else {
        tokio::select! {
            ended = grpc => ended.expect("a free port"),
            _ = stop.recv() => {}
        }
    }
}
