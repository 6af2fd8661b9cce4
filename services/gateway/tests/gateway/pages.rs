//! The web client's files at the edge.

use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use tempfile::TempDir;
use tonic::body::Body;
use tonic::codegen::Bytes;

use crate::clients;
use crate::fixture::Fixture;

const INDEX: &str = "<!doctype html><title>index</title>";
const SCRIPT: &str = "export const one = 1;";

/// A gateway that serves a small client.
async fn serving() -> (Fixture, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let assets = folder.path().join("assets");
    std::fs::create_dir(&assets).expect("a folder");
    let files = [
        ("index.html", INDEX),
        ("assets/a-1.js", SCRIPT),
        ("assets/a-1.js.br", "brotli"),
        ("assets/a-1.js.gz", "gzip"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let root = folder.path().to_owned();
    (Fixture::start_with(|config| config.web_root = Some(root)).await, folder)
}

async fn ask(fixture: &Fixture, method: Method, path: &str, headers: &[(&str, &str)]) -> Response<Bytes> {
    let mut request = Request::builder().method(method).uri(format!("http://{}{path}", fixture.edge));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).expect("a request");
    let (parts, body) = clients::http().request(request).await.expect("an answer").into_parts();
    Response::from_parts(parts, body.collect().await.expect("a body").to_bytes())
}

#[tokio::test]
async fn every_page_of_the_application_gets_the_index_under_a_strict_policy() {
    let (fixture, _folder) = serving().await;
    for path in ["/", "/game/01990000-0000-7000-8000-000000000000", "/wallet?x=1"] {
        let answer = ask(&fixture, Method::GET, path, &[]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
        assert_eq!(answer.headers()["cache-control"], "no-cache");
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        let policy = answer.headers()["content-security-policy"].to_str().expect("text").to_owned();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.body(), INDEX);
    }
    fixture.stop().await;
}

#[tokio::test]
async fn a_file_comes_in_the_form_that_the_browser_takes() {
    let (fixture, _folder) = serving().await;
    for (accepted, encoding, body) in
        [("gzip, br", Some("br"), "brotli"), ("gzip", Some("gzip"), "gzip"), ("identity", None, SCRIPT)]
    {
        let answer = ask(&fixture, Method::GET, "/assets/a-1.js", &[("accept-encoding", accepted)]).await;
        assert_eq!(
            answer.headers().get("content-encoding").map(|value| value.as_bytes()),
            encoding.map(str::as_bytes)
        );
        assert_eq!(answer.headers()["content-type"], "text/javascript; charset=utf-8");
        assert_eq!(answer.headers()["cache-control"], "public, max-age=31536000, immutable");
        assert_eq!(answer.headers()["vary"], "accept-encoding");
        assert_eq!(answer.body(), body);
    }
    fixture.stop().await;
}

#[tokio::test]
async fn what_the_browser_has_is_not_sent_again() {
    let (fixture, _folder) = serving().await;
    let first = ask(&fixture, Method::GET, "/", &[]).await;
    let tag = first.headers()["etag"].to_str().expect("text").to_owned();
    let second = ask(&fixture, Method::GET, "/", &[("if-none-match", &tag)]).await;
    assert_eq!(second.status(), StatusCode::NOT_MODIFIED);
    assert!(second.body().is_empty());
    fixture.stop().await;
}

#[tokio::test]
async fn missing_files_calls_and_other_methods_do_not_get_the_index() {
    let (fixture, _folder) = serving().await;
    for path in
        ["/assets/gone.js", "/favicon.ico", "/stakemate.game.v1.GameService/GetGame", "/assets/a-1.js.br.x"]
    {
        let answer = ask(&fixture, Method::GET, path, &[]).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
    }
    // A compressed form is no file of its own, and nothing outside the folder is reachable.
    for path in ["/assets/a-1.js.br", "/../Cargo.toml", "/%2e%2e/Cargo.toml"] {
        assert_eq!(ask(&fixture, Method::GET, path, &[]).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let posted = ask(&fixture, Method::POST, "/", &[]).await;
    assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(posted.headers()["allow"], "GET, HEAD");
    let head = ask(&fixture, Method::HEAD, "/", &[]).await;
    assert_eq!((head.status(), head.body().is_empty()), (StatusCode::OK, true));
    fixture.stop().await;
}
