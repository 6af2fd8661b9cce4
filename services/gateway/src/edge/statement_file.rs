//! A player's statement as a file: `GET /v1/statement.csv` and `/v1/statement.json` over plain HTTP, with the access token in
//! `authorization` as ever, and `since_ms`, `until_ms` and `kind` (several times if need be) to choose lines.
//!
//! It is the wallet's `ExportStatement` and nothing else: the call goes through all the layers of the edge, so that limits,
//! tokens and origins count as for any other, and only the frames are taken off the answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{StreamExt as _, TryStreamExt as _};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{Extensions, HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{Full, StreamBody};
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use proto::wallet::v1::{ExportFormat, ExportStatementRequest, StatementFilter, TransferKind};
use service_kit::layers::Stacked;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};
use tower::Service;

/// Headers that the call has and this request has not, or the other way round.
const OWN_HEADERS: [&str; 5] = ["content-type", "content-length", "te", "accept-encoding", "connection"];

/// The longest query that is looked at.
const QUERY_BYTES_MAX: usize = 1_024;

/// The file that a request asks for, if it does.
pub(super) fn format_of(request: &Request<Body>) -> Option<ExportFormat> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/v1/statement.csv") => Some(ExportFormat::Csv),
        (&Method::GET, "/v1/statement.json") => Some(ExportFormat::Json),
        _ => None,
    }
}

/// Answers the file, or why not as plain text.
pub(super) async fn answer<S: Stacked>(
    grpc: S,
    format: ExportFormat,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let Some(filter) = filter_of(parts.uri.query().unwrap_or_default()) else {
        return refusal(&Status::invalid_argument("the query has since_ms, until_ms and kind only"));
    };
    let asked = ExportStatementRequest { format: format as i32, filter: Some(filter) };
    let mut client =
        WalletServiceClient::new(AsAsked { grpc, headers: parts.headers, extensions: parts.extensions });
    let answered = match client.export_statement(asked).await {
        Ok(answered) => answered,
        Err(status) => return refusal(&status),
    };
    let mut headers = allowed(answered.metadata());
    let (kind, name) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "attachment; filename=\"statement.csv\""),
        _ => ("application/json", "attachment; filename=\"statement.json\""),
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(name));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A call that fails half-way breaks the file off: half a file must not look like a whole one.
    let pieces = answered.into_inner().map_ok(|piece| Frame::data(piece.chunk.into())).boxed();
    let mut response = Response::new(Body::new(StreamBody::new(pieces)));
    *response.headers_mut() = headers;
    response
}

fn filter_of(query: &str) -> Option<StatementFilter> {
    let mut filter = StatementFilter::default();
    if query.len() > QUERY_BYTES_MAX {
        return None;
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        match name {
            "since_ms" => filter.since_ms = value.parse().ok()?,
            "until_ms" => filter.until_ms = value.parse().ok()?,
            "kind" => {
                let name = format!("TRANSFER_KIND_{}", value.to_uppercase());
                filter.kinds.push(TransferKind::from_str_name(&name)? as i32);
            }
            _ => return None,
        }
    }
    Some(filter)
}

/// What the answer's headers say about the page that asked.
fn allowed(metadata: &MetadataMap) -> HeaderMap {
    let headers = metadata.clone().into_headers();
    let kept = headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control-"));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn refusal(status: &Status) -> Response<Body> {
    let code = match status.code() {
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::InvalidArgument => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable | Code::DeadlineExceeded => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut response = Response::new(Body::new(Full::from(format!("{}\n", status.message()))));
    *response.status_mut() = code;
    *response.headers_mut() = allowed(status.metadata());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// The stack of the edge as it is for the caller of this request: with his headers, and what is known of his connection.
#[derive(Clone)]
struct AsAsked<S> {
    grpc: S,
    headers: HeaderMap,
    extensions: Extensions,
}

impl<S: Stacked> Service<Request<Body>> for AsAsked<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.grpc.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        for (name, value) in &self.headers {
            if !OWN_HEADERS.contains(&name.as_str()) {
                request.headers_mut().append(name.clone(), value.clone());
            }
        }
        request.extensions_mut().extend(self.extensions.clone());
        Box::pin(self.grpc.call(request))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use prost::Message as _;
    use proto::wallet::v1::ExportStatementResponse;
    use tower::service_fn;

    use super::*;

    /// A stack that answers two pieces to whoever has a token, and looks at what it is asked.
    async fn wallet(request: Request<Body>) -> Result<Response<Body>, Infallible> {
        assert_eq!(request.uri().path(), "/stakemate.wallet.v1.WalletService/ExportStatement");
        assert_eq!(request.headers()[CONTENT_TYPE], "application/grpc");
        if request.headers().get("authorization").is_none_or(|token| token != "Bearer good") {
            return Ok(Status::unauthenticated("this call needs an access token").into_http());
        }
        let asked = request.into_body().collect().await.expect("a body").to_bytes();
        let asked = ExportStatementRequest::decode(&asked[5..]).expect("a request");
        let filter = asked.filter.clone().expect("a filter");
        assert_eq!((filter.since_ms, filter.kinds), (7, vec![TransferKind::Payout as i32]));
        let framed = |text: &str| {
            let message = ExportStatementResponse { chunk: text.as_bytes().to_vec() }.encode_to_vec();
            let length = u32::try_from(message.len()).expect("short").to_be_bytes();
            Frame::data([&[0][..], &length, &message].concat().into())
        };
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        let frames: [Result<Frame<tonic::codegen::Bytes>, Status>; 3] =
            [Ok(framed("one\r\n")), Ok(framed("two\r\n")), Ok(Frame::trailers(trailers))];
        let mut response = Response::new(Body::new(StreamBody::new(futures::stream::iter(frames))));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        response.headers_mut().insert("access-control-allow-origin", HeaderValue::from_static("https://a"));
        Ok(response)
    }

    async fn get(uri: &str, token: Option<&str>) -> Option<(http::response::Parts, String)> {
        let mut request = Request::builder().uri(uri).body(Body::empty()).expect("a request");
        if let Some(token) = token {
            request.headers_mut().insert("authorization", token.parse().expect("a header"));
        }
        let format = format_of(&request)?;
        let (parts, body) = answer(service_fn(wallet), format, request).await.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        Some((parts, String::from_utf8(bytes.to_vec()).expect("text")))
    }

    #[tokio::test]
    async fn the_pieces_of_the_call_are_the_file() {
        let uri = "/v1/statement.csv?since_ms=7&kind=payout";
        let (parts, text) = get(uri, Some("Bearer good")).await.expect("a file");
        assert_eq!((parts.status, text.as_str()), (StatusCode::OK, "one\r\ntwo\r\n"));
        assert_eq!(parts.headers[CONTENT_TYPE], "text/csv; charset=utf-8");
        assert_eq!(parts.headers[CONTENT_DISPOSITION], "attachment; filename=\"statement.csv\"");
        assert_eq!(parts.headers["access-control-allow-origin"], "https://a");
    }

    #[tokio::test]
    async fn a_refused_call_is_a_refused_file() {
        let (parts, text) = get("/v1/statement.json", None).await.expect("an answer");
        assert_eq!(
            (parts.status, text.as_str()),
            (StatusCode::UNAUTHORIZED, "this call needs an access token\n")
        );
        for bad in ["since_ms=x", "kind=gift", "page=2", "since_ms"] {
            let uri = format!("/v1/statement.csv?{bad}");
            let (parts, _) = get(&uri, Some("Bearer good")).await.expect("an answer");
            assert_eq!(parts.status, StatusCode::BAD_REQUEST, "{bad}");
        }
        assert!(get("/v1/statement.pdf", Some("Bearer good")).await.is_none());
    }
}
