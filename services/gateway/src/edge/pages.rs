//! The web client's files. They are read once, at the start, so that no request reaches the file system; a build has put
//! compressed forms (`.br`, `.gz`) beside those that are worth it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use sha2::{Digest, Sha256};
use tonic::body::Body;
use tonic::codegen::Bytes;

/// Files that a client may consist of; more is a wrong folder.
pub const FILES_MAX: usize = 1_000;
/// Bytes that they may have together.
pub const BYTES_MAX: usize = 32 * 1024 * 1024;
/// Folders in folders.
const DEPTH_MAX: usize = 8;

/// Everything that no other file answers is the application's own address.
const INDEX: &str = "/index.html";
/// Files whose name changes with their content.
const HASHED: &str = "/assets/";

/// Scripts, styles and calls of this origin only, nothing inline. Pieces are images inside the style sheet, hence `data:`.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; object-src 'none'";

/// The folder of the web client cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BadPages {
    /// A file or folder could not be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is no index.
    #[error("{} holds no index.html: build the web client first", .0.display())]
    NoIndex(PathBuf),
    /// It is not a client's folder.
    #[error("{} holds more than {FILES_MAX} files or {BYTES_MAX} bytes", .0.display())]
    TooMuch(PathBuf),
}

/// The web client, ready to be sent.
#[derive(Clone, Debug)]
pub struct Pages {
    files: Arc<HashMap<String, File>>,
}

#[derive(Debug)]
struct File {
    content_type: &'static str,
    tag: HeaderValue,
    plain: Bytes,
    gzip: Option<Bytes>,
    brotli: Option<Bytes>,
}

impl Pages {
    /// Reads the folder.
    ///
    /// # Errors
    /// When it is not one that holds a web client.
    pub fn read(folder: &Path) -> Result<Self, BadPages> {
        let mut raw = HashMap::new();
        gather(folder, String::new(), &mut raw, 0)?;
        let total: usize = raw.values().map(Bytes::len).sum();
        if total > BYTES_MAX {
            return Err(BadPages::TooMuch(folder.to_owned()));
        }
        let files: HashMap<String, File> = raw
            .iter()
            .filter(|(path, _)| !is_compressed_form(path, &raw))
            .map(|(path, plain)| (path.clone(), File::new(path, plain.clone(), &raw)))
            .collect();
        if !files.contains_key(INDEX) {
            return Err(BadPages::NoIndex(folder.to_owned()));
        }
        Ok(Self { files: Arc::new(files) })
    }

    /// Answers what is no call.
    pub(super) fn answer<B>(&self, request: &Request<B>) -> Response<Body> {
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered here\n");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let path = request.uri().path();
        let response = match self.files.get_key_value(path) {
            Some((path, file)) => file.answer(path, request.headers()),
            // A missing script answered by the index would hide the fault behind a syntax error.
            None if names_a_file(path) => plain(StatusCode::NOT_FOUND, "not found\n"),
            None => self.files[INDEX].answer(INDEX, request.headers()),
        };
        if request.method() == Method::HEAD { response.map(|_| Body::empty()) } else { response }
    }
}

/// The path ends like a file's, or is a call's.
fn names_a_file(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    path.starts_with(HASHED) || path.starts_with("/stakemate.") || last.contains('.')
}

fn gather(
    folder: &Path,
    prefix: String,
    into: &mut HashMap<String, Bytes>,
    depth: usize,
) -> Result<(), BadPages> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        |source| BadPages::Unreadable { path, source }
    };
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        let path = entry.path();
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            if depth == DEPTH_MAX {
                return Err(BadPages::TooMuch(folder.to_owned()));
            }
            gather(&path, name, into, depth + 1)?;
            continue;
        }
        if into.len() == FILES_MAX {
            return Err(BadPages::TooMuch(folder.to_owned()));
        }
        into.insert(name, fs::read(&path).map_err(unreadable(&path))?.into());
    }
    Ok(())
}

fn is_compressed_form(path: &str, all: &HashMap<String, Bytes>) -> bool {
    [".gz", ".br"].iter().filter_map(|ending| path.strip_suffix(ending)).any(|plain| all.contains_key(plain))
}

impl File {
    fn new(path: &str, plain: Bytes, all: &HashMap<String, Bytes>) -> Self {
        let hash = Sha256::digest(&plain);
        let tag: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        Self {
            content_type: content_type(path),
            tag: HeaderValue::try_from(format!("\"{tag}\"")).expect("hexadecimal digits make a header"),
            plain,
            gzip: all.get(&format!("{path}.gz")).cloned(),
            brotli: all.get(&format!("{path}.br")).cloned(),
        }
    }

    fn answer(&self, path: &str, asked: &HeaderMap) -> Response<Body> {
        let known = asked.get(IF_NONE_MATCH).is_some_and(|tag| *tag == self.tag);
        let (encoding, content) = self.best_for(asked);
        let body = if known { Body::empty() } else { Body::new(Full::new(content)) };
        let mut response = Response::new(body);
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(ETAG, self.tag.clone());
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(encoding) = encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        let kept = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
        guard(headers);
        response
    }

    fn best_for(&self, asked: &HeaderMap) -> (Option<&'static str>, Bytes) {
        let accepted: String = asked
            .get_all(ACCEPT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect::<Vec<_>>()
            .join(",");
        for (name, form) in [("br", &self.brotli), ("gzip", &self.gzip)] {
            if let Some(form) = form
                && accepts(&accepted, name)
            {
                return (Some(name), form.clone());
            }
        }
        (None, self.plain.clone())
    }
}

/// Whether an `accept-encoding` names this one and does not refuse it.
fn accepts(accepted: &str, name: &str) -> bool {
    accepted.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case(name))
            && !parts.any(|parameter| {
                parameter
                    .strip_prefix("q=")
                    .is_some_and(|weight| weight.parse::<f32>().is_ok_and(|weight| weight == 0.0))
            })
    })
}

/// What a browser may do with any of our answers.
fn guard(headers: &mut HeaderMap) {
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

pub(super) fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::new(Full::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    guard(response.headers_mut());
    response
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_that_is_refused_is_not_accepted() {
        assert!(accepts("gzip, deflate, br", "br"));
        assert!(accepts("br;q=0.5", "br"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("", "gzip"));
    }

    #[test]
    fn addresses_of_the_application_are_told_from_files() {
        for file in ["/assets/x", "/favicon.ico", "/stakemate.game.v1.GameService/PlayMove", "/a/b.js"] {
            assert!(names_a_file(file), "{file}");
        }
        for page in ["/", "/game/0199", "/wallet", "/replay/1/"] {
            assert!(!names_a_file(page), "{page}");
        }
    }

    #[test]
    fn a_folder_without_an_index_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("x.js"), "1").expect("written");
        assert!(matches!(Pages::read(folder.path()), Err(BadPages::NoIndex(_))));
        assert!(matches!(Pages::read(&folder.path().join("missing")), Err(BadPages::Unreadable { .. })));
    }
}
