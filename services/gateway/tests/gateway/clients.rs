//! Clients of both protocols.

use std::net::SocketAddr;

use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic_web::{GrpcWebCall, GrpcWebClientLayer, GrpcWebClientService};
use tower::ServiceBuilder;

/// What a generated client takes to speak gRPC-Web over HTTP/1.1, as browsers do:
/// `GameServiceClient::with_origin(clients::web(), clients::origin(address))`.
pub type WebTransport = GrpcWebClientService<Client<HttpConnector, GrpcWebCall<Body>>>;

/// gRPC over HTTP/2 without TLS.
pub async fn grpc(address: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    endpoint.connect().await.expect("connected")
}

/// gRPC-Web over HTTP/1.1; connects when needed.
pub fn web() -> WebTransport {
    let http = Client::builder(TokioExecutor::new()).build_http();
    ServiceBuilder::new().layer(GrpcWebClientLayer::new()).service(http)
}

pub fn origin(address: SocketAddr) -> http::Uri {
    http::Uri::try_from(format!("http://{address}")).expect("an address")
}

/// Plain HTTP/1.1, to look at the bytes.
pub fn http() -> Client<HttpConnector, Body> {
    Client::builder(TokioExecutor::new()).build_http()
}

/// A page of the admin port.
pub async fn get(address: SocketAddr, path: &str) -> String {
    let request = http::Request::builder().uri(format!("http://{address}{path}")).body(Body::empty());
    let response = self::http().request(request.expect("a request")).await.expect("an answer");
    let body = http_body_util::BodyExt::collect(response.into_body()).await.expect("a body").to_bytes();
    String::from_utf8(body.to_vec()).expect("text")
}
