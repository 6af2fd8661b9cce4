//! gRPC-Web as browsers speak it, looked at byte by byte.

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use prost::Message;
use tonic::body::Body;
use tonic::codegen::Bytes;

use crate::behind::{ANSWER, REFUSE, get_ratings};
use crate::clients;
use crate::fixture::Fixture;

const PATH: &str = "/stakemate.rating.v1.RatingService/GetRatings";
const ORIGIN: &str = "https://play.example";
/// Marks a frame that holds trailers.
const TRAILERS: u8 = 0x80;

fn post(fixture: &Fixture) -> http::request::Builder {
    Request::builder()
        .method(Method::POST)
        .uri(format!("http://{}{PATH}", fixture.edge))
        .header("content-type", "application/grpc-web+proto")
        .header("x-grpc-web", "1")
}

fn framed(what: &str) -> Vec<u8> {
    let message = get_ratings(what).encode_to_vec();
    let length = u32::try_from(message.len()).expect("short").to_be_bytes();
    [&[0][..], &length, &message].concat()
}

async fn call(fixture: &Fixture, what: &str) -> (http::response::Parts, Bytes) {
    let request = post(fixture).header("origin", ORIGIN).body(Body::new(Full::from(framed(what))));
    let response = clients::http().request(request.expect("a request")).await.expect("an answer");
    let (parts, body) = response.into_parts();
    (parts, body.collect().await.expect("a body").to_bytes())
}

async fn allowing() -> Fixture {
    Fixture::start_with(|config| config.allowed_origins = vec![ORIGIN.to_owned()]).await
}

/// H04
#[tokio::test]
async fn an_answer_ends_with_one_frame_of_trailers() {
    let fixture = allowing().await;
    let (parts, body) = call(&fixture, ANSWER).await;
    assert_eq!(parts.status, StatusCode::OK);
    assert_eq!(parts.headers["content-type"], "application/grpc-web+proto");
    let length = u32::from_be_bytes(body[1..5].try_into().expect("four bytes")) as usize;
    let trailers = &body[5 + length..];
    assert_eq!((body[0], trailers[0]), (0, TRAILERS));
    let text = String::from_utf8(trailers[5..].to_vec()).expect("text");
    assert!(text.contains("grpc-status:0"), "{text}");
    assert_eq!(
        trailers.len() - 5,
        u32::from_be_bytes(trailers[1..5].try_into().expect("four bytes")) as usize
    );
    fixture.stop().await;
}

/// H04: a status among the headers, and no empty frame of trailers that would hide it.
#[tokio::test]
async fn a_refusal_has_its_status_among_the_headers_and_no_body() {
    let fixture = allowing().await;
    let (parts, body) = call(&fixture, REFUSE).await;
    assert_eq!(parts.headers["grpc-status"], "10");
    assert!(parts.headers.contains_key("grpc-status-details-bin"));
    assert!(body.is_empty(), "{body:?}");
    fixture.stop().await;
}

async fn preflight(fixture: &Fixture, origin: &str) -> Response<()> {
    let request = Request::builder()
        .method(Method::OPTIONS)
        .uri(format!("http://{}{PATH}", fixture.edge))
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type,x-grpc-web")
        .body(Body::empty())
        .expect("a request");
    clients::http().request(request).await.expect("an answer").map(|_| ())
}

#[tokio::test]
async fn an_allowed_page_may_call_and_see_the_status() {
    let fixture = allowing().await;
    let answer = preflight(&fixture, ORIGIN).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["access-control-allow-origin"], ORIGIN);
    let allowed = answer.headers()["access-control-allow-headers"].to_str().expect("text").to_owned();
    for name in ["authorization", "content-type", "x-grpc-web", "grpc-timeout"] {
        assert!(allowed.contains(name), "{allowed}");
    }
    // On a refusal as on an answer.
    let (parts, _) = call(&fixture, REFUSE).await;
    assert_eq!(parts.headers["access-control-allow-origin"], ORIGIN);
    let exposed = parts.headers["access-control-expose-headers"].to_str().expect("text").to_owned();
    for name in ["grpc-status", "grpc-message", "grpc-status-details-bin"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    fixture.stop().await;
}

#[tokio::test]
async fn another_page_gets_no_leave() {
    let fixture = allowing().await;
    let answer = preflight(&fixture, "https://evil.example").await;
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
    fixture.stop().await;
}

#[tokio::test]
async fn the_base64_form_for_old_browsers_works_too() {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let fixture = allowing().await;
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("http://{}{PATH}", fixture.edge))
        .header("content-type", "application/grpc-web-text+proto")
        .header("accept", "application/grpc-web-text+proto")
        .body(Body::new(Full::from(STANDARD.encode(framed(ANSWER)))))
        .expect("a request");
    let response = clients::http().request(request).await.expect("an answer");
    assert_eq!(response.headers()["content-type"], "application/grpc-web-text+proto");
    assert!(!response.headers().contains_key("grpc-status"), "{:?}", response.headers());
    assert!(!response.into_body().collect().await.expect("a body").to_bytes().is_empty());
    fixture.stop().await;
}

#[tokio::test]
async fn what_is_not_grpc_is_not_found() {
    let fixture = allowing().await;
    let request =
        Request::builder().uri(format!("http://{}/", fixture.edge)).body(Body::empty()).expect("a request");
    let response = clients::http().request(request).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    fixture.stop().await;
}

/// H06 over HTTP/1.1: the refusal arrives although the request was not read to its end.
#[tokio::test]
async fn a_request_that_is_too_long_is_refused_over_http_1_too() {
    let fixture = allowing().await;
    let (parts, _) = call(&fixture, &"x".repeat(300 * 1024)).await;
    assert_eq!(parts.headers["grpc-status"], "8");
    let (parts, _) = call(&fixture, ANSWER).await;
    assert_eq!(parts.status, StatusCode::OK);
    fixture.stop().await;
}
