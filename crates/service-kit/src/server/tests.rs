//! The whole stack on real sockets, around a service that misbehaves on demand.

use std::collections::HashMap;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{HeaderMap, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use test_kit::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tonic::codegen::Bytes;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tonic_types::StatusExt;
use tower::ServiceExt;

use super::*;
use crate::auth::{Authentication, KeyPair};

const PATIENCE: Duration = Duration::from_secs(10);

/// `/test.v1.Probe/<what it does>`.
#[derive(Clone)]
struct Probe;

impl NamedService for Probe {
    const NAME: &'static str = "test.v1.Probe";
}

impl Service<Request<Body>> for Probe {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(async move { Ok(answer(request).await) })
    }
}

async fn answer(request: Request<Body>) -> Response<Body> {
    match request.uri().path() {
        "/test.v1.Probe/Panic" => panic!("as asked"),
        "/test.v1.Probe/Hang" => std::future::pending().await,
        "/test.v1.Probe/Stream" => {
            let silence = futures::stream::pending::<Result<http_body::Frame<Bytes>, Status>>();
            Response::new(Body::new(StreamBody::new(silence)))
        }
        "/test.v1.Probe/Read" => match request.into_body().collect().await {
            Ok(_) => Status::ok("").into_http(),
            Err(status) => status.into_http(),
        },
        "/test.v1.Probe/Who" => match request.extensions().get::<Authentication>() {
            Some(Authentication::Known(principal)) => Status::ok(principal.name.clone()).into_http(),
            _ => Status::unauthenticated("nobody").into_http(),
        },
        _ => Status::unimplemented("no such method").into_http(),
    }
}

struct Running {
    grpc: SocketAddr,
    admin: SocketAddr,
    readiness: Readiness,
    shutdown: CancellationToken,
    keys: KeyPair,
    served: JoinHandle<Result<(), ServeError>>,
}

async fn start() -> Running {
    let keys = KeyPair::generate();
    let folder = tempfile::tempdir().expect("a folder");
    let public = folder.path().join("public.pem");
    std::fs::write(&public, &keys.public_pem).expect("written");
    let config = CommonConfig::development("postgres://nobody/nothing", "nats://nobody", &public);
    let server = Server::new(&config).expect("a server").add(Probe);
    let readiness = server.readiness();
    let bound = server.bind().await.expect("free ports");
    let (grpc, admin) = (bound.grpc_address(), bound.admin_address());
    let shutdown = CancellationToken::new();
    let served = tokio::spawn(bound.run(shutdown.clone()));
    Running { grpc, admin, readiness, shutdown, keys, served }
}

impl Running {
    async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.grpc)).expect("an address");
        endpoint.connect().await.expect("connected")
    }

    async fn stop(self) -> Duration {
        let begun = tokio::time::Instant::now();
        self.shutdown.cancel();
        self.served.await.expect("no panic").expect("no error");
        begun.elapsed()
    }

    async fn admin(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.admin).await.expect("connected");
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("read");
        answer
    }
}

async fn call(channel: &Channel, method: &str, headers: &[(&'static str, String)], body: Vec<u8>) -> Status {
    let mut request = Request::builder().method("POST").uri(format!("/test.v1.Probe/{method}"));
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Body::new(Full::from(body)))
        .expect("a request");
    let response = channel.clone().oneshot(request).await.expect("an answer");
    status_of(response.headers())
}

fn status_of(headers: &HeaderMap) -> Status {
    Status::from_header_map(headers).expect("a status")
}

#[tokio::test]
async fn a_panic_ends_one_call_and_nothing_else() {
    let running = start().await;
    let channel = running.channel().await;
    let status = call(&channel, "Panic", &[], Vec::new()).await;
    assert_eq!((status.code(), status.message()), (Code::Internal, "internal error"));
    assert_eq!(call(&channel, "Read", &[], Vec::new()).await.code(), Code::Ok);
    running.stop().await;
}

#[tokio::test]
async fn a_call_ends_at_its_callers_deadline_or_at_ours() {
    // Without sockets: tonic's client has a timer of its own.
    for (asked, ours) in [(Some("50m"), CALL_MAX), (None, Duration::from_millis(50))] {
        let service = ServiceBuilder::new().layer(Stack(Deadline::new(ours))).service(Probe);
        let mut request =
            Request::builder().uri("/test.v1.Probe/Hang").body(Body::empty()).expect("a request");
        if let Some(asked) = asked {
            request.headers_mut().insert("grpc-timeout", asked.parse().expect("a header"));
        }
        let answer = service.oneshot(request).await.expect("an answer");
        assert_eq!(status_of(answer.headers()).code(), Code::DeadlineExceeded);
    }
}

/// H06
#[tokio::test]
async fn a_request_that_is_too_long_is_refused_and_the_connection_lives_on() {
    let running = start().await;
    let channel = running.channel().await;
    let status = call(&channel, "Read", &[], vec![0; 5 * 1024 * 1024]).await;
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(call(&channel, "Read", &[], vec![0; 1000]).await.code(), Code::Ok);
    running.stop().await;
}

#[tokio::test]
async fn a_token_makes_the_caller_known() {
    let running = start().await;
    let channel = running.channel().await;
    let signer = crate::auth::Signer::from_pem(running.keys.private_pem.as_bytes(), crate::auth::ISSUER)
        .expect("a key");
    let principal = crate::auth::Principal {
        player_id: uuid::Uuid::now_v7(),
        name: "Ann".to_owned(),
        roles: crate::auth::Roles::default(),
        expires_at: std::time::SystemTime::now() + Duration::from_secs(60),
    };
    let bearer = signer.bearer(&principal).expect("signed");
    let status = call(&channel, "Who", &[("authorization", bearer.clone())], Vec::new()).await;
    assert_eq!(status.message(), "Ann");
    // Two tokens are no token.
    let twice = [("authorization", bearer.clone()), ("authorization", bearer)];
    assert_eq!(call(&channel, "Who", &twice, Vec::new()).await.code(), Code::Unauthenticated);
    running.stop().await;
}

#[tokio::test]
async fn a_service_is_healthy_once_nothing_holds_it_and_until_it_stops() {
    let running = start().await;
    let hold = running.readiness.hold("recovery of games");
    let mut health = tonic_health::pb::health_client::HealthClient::new(running.channel().await);
    let mut watch = async |service: &str| {
        let request = tonic_health::pb::HealthCheckRequest { service: service.to_owned() };
        health.watch(request).await.expect("watched").into_inner()
    };
    let mut whole = watch("").await;
    let mut probe = watch(Probe::NAME).await;
    let mut ready = watch(super::READINESS).await;
    for stream in [&mut whole, &mut probe, &mut ready] {
        // The first answers may still show the moment before the hold.
        while stream.message().await.expect("open").expect("open").status != 2 {}
    }
    assert!(running.admin("/healthz/ready").await.contains("waiting for recovery of games"));
    assert!(running.admin("/healthz/live").await.starts_with("HTTP/1.1 200"));
    // What is held says nothing about whether the process lives.
    let alive = tonic_health::pb::HealthCheckRequest { service: super::LIVENESS.to_owned() };
    assert_eq!(health.check(alive).await.expect("answered").into_inner().status, 1);
    drop(hold);
    for stream in [&mut whole, &mut probe, &mut ready] {
        assert_eq!(stream.message().await.expect("open").expect("open").status, 1);
    }
    assert!(running.admin("/healthz/ready").await.starts_with("HTTP/1.1 200"));
    running.shutdown.cancel();
    assert_eq!(whole.message().await.expect("open").expect("open").status, 2);
    drop((whole, probe, ready, health));
    running.stop().await;
}

#[tokio::test]
async fn calls_are_counted_and_no_caller_can_make_a_label() {
    let running = start().await;
    let channel = running.channel().await;
    for _ in 0..2 {
        call(&channel, "Read", &[], Vec::new()).await;
        call(&channel, "NoSuchMethod", &[], Vec::new()).await;
    }
    let metrics = eventually(PATIENCE, || async {
        let text = running.admin("/metrics").await;
        text.contains("code=\"Unimplemented\"").then_some(text)
    })
    .await;
    let labels: HashMap<&str, &str> = metrics
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .filter(|(key, _)| key.contains("test.v1"))
        .collect();
    assert!(
        labels
            .keys()
            .any(|key| key.starts_with(crate::layers::CALLS_HANDLED) && key.contains("method=\"Read\""))
    );
    assert!(labels.keys().any(|key| key.starts_with(crate::layers::CALL_SECONDS)));
    assert!(!metrics.contains("NoSuchMethod"));
    running.stop().await;
}

/// H01
#[tokio::test]
async fn idle_connections_do_not_hold_up_the_stop() {
    let running = start().await;
    let mut idle = Vec::new();
    for _ in 0..5 {
        idle.push(TcpStream::connect(running.grpc).await.expect("connected"));
    }
    assert!(running.stop().await < STOP_MAX);
}

/// H02, KIT-5: these streams ignore the stop; a well-behaved one ends itself (see `streams`).
#[tokio::test]
async fn streams_that_do_not_end_do_not_hold_up_the_stop() {
    let running = start().await;
    let channel = running.channel().await;
    let mut open = Vec::new();
    for _ in 0..20 {
        let request = Request::builder()
            .method("POST")
            .uri("/test.v1.Probe/Stream")
            .header("content-type", "application/grpc")
            .body(Body::empty())
            .expect("a request");
        open.push(channel.clone().oneshot(request).await.expect("an answer"));
    }
    assert!(running.stop().await < STOP_MAX);
}

#[tokio::test]
async fn too_many_calls_are_refused_with_a_time_to_come_back() {
    let one = ServiceBuilder::new().layer(Stack(crate::layers::Overload::new(1))).service(Probe);
    let hanging = Request::builder().uri("/test.v1.Probe/Hang").body(Body::empty()).expect("a request");
    let mut first = Box::pin(one.clone().oneshot(hanging));
    assert!(futures::poll!(&mut first).is_pending());
    let second = Request::builder().uri("/test.v1.Probe/Read").body(Body::empty()).expect("a request");
    let refused = one.clone().oneshot(second).await.expect("an answer");
    let status = status_of(refused.headers());
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.get_error_details().retry_info().is_some());
    drop(first);
    let third = Request::builder().uri("/test.v1.Probe/Read").body(Body::empty()).expect("a request");
    let served = one.oneshot(third).await.expect("an answer");
    assert_eq!(status_of(served.headers()).code(), Code::Ok);
}
