//! The verification of access tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AUDIENCE, KeyError, Principal, Roles};
use crate::config::CommonConfig;

/// A longer token is not looked at.
pub const TOKEN_BYTES_MAX: usize = 4096;
/// How many verified tokens are kept, so that a player's next move costs no signature check.
pub const CACHED_TOKENS_MAX: usize = 20_000;

/// Why a token is not believed. Nothing finer is told: it would help only an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It was good once.
    #[error("the token has ended")]
    Expired,
    /// Malformed, or of another issuer, audience, algorithm or key.
    #[error("the token is not one of ours")]
    Invalid,
}

/// What stands in a token.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: Uuid,
    pub(super) name: String,
    pub(super) roles: Vec<String>,
    pub(super) iat: u64,
    pub(super) exp: u64,
    pub(super) jti: Uuid,
}

/// Verifies access tokens (KIT-2). Cheap to clone; the clones share the cache.
#[derive(Clone)]
pub struct Verifier {
    inner: Arc<Inner>,
}

struct Inner {
    key: DecodingKey,
    validation: Validation,
    cache: Mutex<Cache>,
}

impl Verifier {
    /// With the configured key and issuer.
    ///
    /// # Errors
    /// When the key file cannot be read or is no Ed25519 public key.
    pub fn from_config(config: &CommonConfig) -> Result<Self, KeyError> {
        let file = &config.token_public_key_file;
        let pem = std::fs::read(file).map_err(|source| KeyError::Read { file: file.clone(), source })?;
        Self::from_pem(&pem, &config.token_issuer)
    }

    /// With a public key in PEM.
    ///
    /// # Errors
    /// When it is no Ed25519 public key.
    pub fn from_pem(pem: &[u8], issuer: &str) -> Result<Self, KeyError> {
        let key = DecodingKey::from_ed_pem(pem).map_err(|_| KeyError::Malformed)?;
        // The algorithm is pinned: a token that names another, or none, is refused before its signature is looked at.
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[AUDIENCE]);
        validation.set_issuer(&[issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.leeway = 0;
        validation.validate_nbf = true;
        Ok(Self { inner: Arc::new(Inner { key, validation, cache: Mutex::default() }) })
    }

    /// Who the token speaks for.
    ///
    /// # Errors
    /// When it has ended, or is not one of ours.
    pub fn verify(&self, token: &str) -> Result<Principal, TokenError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(TokenError::Invalid);
        }
        let cached = self.cache().get(token);
        let principal = match cached {
            Some(principal) => principal,
            None => {
                let principal = self.check(token)?;
                self.cache().put(token, &principal);
                principal
            }
        };
        if principal.expires_at <= SystemTime::now() {
            return Err(TokenError::Expired);
        }
        Ok(principal)
    }

    fn check(&self, token: &str) -> Result<Principal, TokenError> {
        let decoded = jsonwebtoken::decode::<Claims>(token, &self.inner.key, &self.inner.validation);
        let claims = match decoded {
            Ok(decoded) => decoded.claims,
            Err(error) if matches!(error.kind(), ErrorKind::ExpiredSignature) => {
                return Err(TokenError::Expired);
            }
            Err(_) => return Err(TokenError::Invalid),
        };
        let expires_at =
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(claims.exp)).ok_or(TokenError::Invalid)?;
        Ok(Principal {
            player_id: claims.sub,
            name: claims.name,
            roles: Roles::from_names(claims.roles.iter().map(String::as_str)),
            expires_at,
        })
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // A panic between two map operations leaves a cache that is still true.
        self.inner.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two generations: when the young one is full it becomes the old one, and the old one is dropped. What is used moves
/// over, so the tokens in use stay and no list of ages is kept.
#[derive(Default)]
struct Cache {
    young: HashMap<String, Principal>,
    old: HashMap<String, Principal>,
}

impl Cache {
    fn get(&mut self, token: &str) -> Option<Principal> {
        if let Some(principal) = self.young.get(token) {
            return Some(principal.clone());
        }
        let principal = self.old.remove(token)?;
        self.put(token, &principal);
        Some(principal)
    }

    fn put(&mut self, token: &str, principal: &Principal) {
        if self.young.len() >= CACHED_TOKENS_MAX / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(token.to_owned(), principal.clone());
    }
}
