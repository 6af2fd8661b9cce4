//! Keys, settings for the service under test, and callers with tokens.

use std::time::{Duration, SystemTime};

use service_kit::auth::{ISSUER, KeyPair, Role, Roles, Signer, Subject};
use service_kit::config::CommonConfig;
use test_kit::scratch::{self, Medium};
use tonic::Request;
use uuid::Uuid;

/// Longer than any test.
const TOKEN_LIFETIME: Duration = Duration::from_secs(3_600);

/// A key pair of the test's own, its public half in a file. It is no development key, so production takes it too.
#[derive(Clone)]
pub struct Keys {
    signer: Signer,
    public_key_file: std::path::PathBuf,
}

impl Keys {
    /// A new pair.
    #[must_use]
    pub fn new() -> Self {
        let pair = KeyPair::generate();
        let folder = scratch::folder(Medium::Memory, "keys").expect("a scratch folder can be made");
        let public_key_file = folder.join("public.pem");
        std::fs::write(&public_key_file, &pair.public_pem).expect("a key file can be written");
        let signer = Signer::from_pem(pair.private_pem.as_bytes(), ISSUER).expect("the pair is a good one");
        Self { signer, public_key_file }
    }

    /// Settings for a service that believes tokens of these keys and listens on free ports.
    #[must_use]
    pub fn settings(&self, database_url: &str, nats_url: &str) -> CommonConfig {
        CommonConfig::development(database_url, nats_url, &self.public_key_file)
    }

    /// A player whom nobody has met.
    #[must_use]
    pub fn player(&self, name: &str) -> Visitor {
        self.visitor(Uuid::now_v7(), name, &[Role::Player])
    }

    /// Somebody with these roles.
    #[must_use]
    pub fn visitor(&self, player_id: Uuid, name: &str, roles: &[Role]) -> Visitor {
        self.sign(player_id, name, roles, SystemTime::now())
    }

    /// The same visitor with a token that has ended.
    #[must_use]
    pub fn expired(&self, visitor: &Visitor) -> Visitor {
        let long_ago = SystemTime::now() - 2 * TOKEN_LIFETIME;
        self.sign(visitor.player_id, &visitor.name, &[Role::Player], long_ago)
    }

    fn sign(&self, player_id: Uuid, name: &str, roles: &[Role], now: SystemTime) -> Visitor {
        let subject = Subject { player_id, name, roles: Roles::of(roles) };
        let token = self.signer.sign(&subject, now, TOKEN_LIFETIME).expect("the key can sign").text;
        Visitor { player_id, name: name.to_owned(), token }
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self::new()
    }
}

/// Somebody who has signed in.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// Who.
    pub player_id: Uuid,
    /// His name.
    pub name: String,
    /// His access token.
    pub token: String,
}

impl Visitor {
    /// A request with his token.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let bearer = format!("Bearer {}", self.token).parse().expect("a token is ASCII");
        request.metadata_mut().insert("authorization", bearer);
        request
    }
}
