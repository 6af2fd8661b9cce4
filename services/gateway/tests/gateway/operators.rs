//! Whose OperatorService a call reaches, and who becomes an operator.

use std::net::SocketAddr;

use proto::operator::v1 as pb;
use proto::operator::v1::operator_service_client::OperatorServiceClient;
use proto::operator::v1::operator_service_server::{OperatorService, OperatorServiceServer};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Request, Response, Status};

use crate::clients;
use crate::fixture::{Fixture, bad_fields, reason, with_token};

/// A service that answers with its name and passes no judgement on who asks.
#[derive(Clone)]
struct Named(&'static str);

impl Named {
    async fn start(name: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let serving = Server::builder()
            .add_service(OperatorServiceServer::new(Self(name)))
            .serve_with_incoming(TcpIncoming::from(listener));
        // Ends with the test's runtime.
        tokio::spawn(async move { serving.await.expect("served until the end") });
        address
    }
}

fn not_told() -> Status {
    Status::unimplemented("nobody asks for it here")
}

#[tonic::async_trait]
impl OperatorService for Named {
    async fn get_status(
        &self,
        _: Request<pb::GetStatusRequest>,
    ) -> Result<Response<pb::GetStatusResponse>, Status> {
        Ok(Response::new(pb::GetStatusResponse { service: self.0.to_owned(), ..Default::default() }))
    }

    async fn list_events(
        &self,
        _: Request<pb::ListEventsRequest>,
    ) -> Result<Response<pb::ListEventsResponse>, Status> {
        Err(not_told())
    }

    async fn list_dead_letters(
        &self,
        _: Request<pb::ListDeadLettersRequest>,
    ) -> Result<Response<pb::ListDeadLettersResponse>, Status> {
        Err(not_told())
    }

    async fn retry_dead_letter(
        &self,
        _: Request<pb::RetryDeadLetterRequest>,
    ) -> Result<Response<pb::RetryDeadLetterResponse>, Status> {
        Err(not_told())
    }

    async fn skip_dead_letter(
        &self,
        _: Request<pb::SkipDeadLetterRequest>,
    ) -> Result<Response<pb::SkipDeadLetterResponse>, Status> {
        Err(not_told())
    }

    async fn list_dead_letter_actions(
        &self,
        _: Request<pb::ListDeadLetterActionsRequest>,
    ) -> Result<Response<pb::ListDeadLetterActionsResponse>, Status> {
        Err(not_told())
    }
}

/// Asks the service that the metadata name for its status.
fn asked(token: &str, service: Option<&str>) -> Request<pb::GetStatusRequest> {
    let mut request = with_token(pb::GetStatusRequest {}, token);
    if let Some(service) = service {
        request.metadata_mut().insert("stakemate-service", service.parse().expect("a header"));
    }
    request
}

/// EDGE-4
#[tokio::test]
async fn the_metadata_say_whose_operator_service_is_meant_in_both_protocols() {
    let (wallet, game) = (Named::start("wallet").await, Named::start("game").await);
    let fixture = Fixture::start_with(|config| {
        config.upstream_wallet = format!("http://{wallet}");
        config.upstream_game = format!("http://{game}");
        config.first_roles = vec!["olga=operator".to_owned()];
    })
    .await;
    let olga = fixture.sign_up("Olga").await;
    let mut grpc = OperatorServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = OperatorServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    for service in ["wallet", "game", "gateway"] {
        let status = grpc.get_status(asked(&olga.access_token, Some(service))).await.expect("told");
        assert_eq!(status.into_inner().service, service);
        let status = web.get_status(asked(&olga.access_token, Some(service))).await.expect("told");
        assert_eq!(status.into_inner().service, service);
    }
    for nobody in [None, Some("practice"), Some(""), Some("stakemate.wallet.v1")] {
        let refused = grpc.get_status(asked(&olga.access_token, nobody)).await.expect_err("nobody is meant");
        assert_eq!(
            (refused.code(), bad_fields(&refused)),
            (Code::InvalidArgument, vec!["stakemate-service".into()])
        );
    }
    fixture.stop().await;
}

/// OPER-1
#[tokio::test]
async fn the_gateways_own_is_for_operators_only() {
    let fixture = Fixture::start_with(|config| config.first_roles = vec!["mira=moderator".to_owned()]).await;
    let mut grpc = OperatorServiceClient::new(clients::grpc(fixture.edge).await);
    for name in ["Anna", "Mira"] {
        let session = fixture.sign_up(name).await;
        let refused = grpc.get_status(asked(&session.access_token, Some("gateway"))).await;
        let refused = refused.expect_err("no operator");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "ROLE_MISSING"));
    }
    fixture.stop().await;
}
