//! Verifies the bearer token and leaves what it said with the request.

use http::header::AUTHORIZATION;
use http::{HeaderMap, Request, Response};
use tonic::body::Body;

use super::{Around, Next, Stacked};
use crate::auth::{Authentication, TokenError, Verifier};

/// Leaves an [`Authentication`] in the request's extensions; refuses nothing itself.
#[derive(Clone)]
pub struct Authenticate {
    verifier: Verifier,
}

impl Authenticate {
    /// With the verifier.
    pub fn new(verifier: Verifier) -> Self {
        Self { verifier }
    }

    /// What the headers' token says.
    pub fn read(&self, headers: &HeaderMap) -> Authentication {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let Some(value) = values.next() else { return Authentication::Anonymous };
        if values.next().is_some() {
            // Two tokens: whichever we took, somebody else on the way may have taken the other.
            return Authentication::Refused(TokenError::Invalid);
        }
        let token = value.to_str().ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        match token.ok_or(TokenError::Invalid).and_then(|token| self.verifier.verify(token)) {
            Ok(principal) => Authentication::Known(principal),
            Err(error) => Authentication::Refused(error),
        }
    }
}

impl Around for Authenticate {
    async fn around<S: Stacked>(&self, mut request: Request<Body>, next: Next<S>) -> Response<Body> {
        let authentication = self.read(request.headers());
        request.extensions_mut().insert(authentication);
        next.run(request).await
    }
}
