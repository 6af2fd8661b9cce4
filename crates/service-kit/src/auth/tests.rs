use std::time::Duration;

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use test_kit::eventually;

use super::*;

struct Fixture {
    pair: KeyPair,
    verifier: Verifier,
}

impl Fixture {
    fn new() -> Self {
        let pair = KeyPair::generate();
        let verifier = Verifier::from_pem(pair.public_pem.as_bytes(), ISSUER).expect("a public key");
        Self { pair, verifier }
    }

    fn signer(&self) -> Signer {
        Signer::from_pem(self.pair.private_pem.as_bytes(), ISSUER).expect("a private key")
    }

    fn verify(&self, claims: &Value) -> Result<Principal, TokenError> {
        let key = EncodingKey::from_ed_pem(self.pair.private_pem.as_bytes()).expect("a private key");
        let token = jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), claims, &key).expect("signed");
        self.verifier.verify(&token)
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs()
}

fn claims() -> Value {
    json!({
        "iss": "stakemate", "aud": "stakemate", "sub": Uuid::now_v7(), "name": "Ann", "roles": ["player", "emperor"],
        "iat": now_s(), "exp": now_s() + 600, "jti": Uuid::now_v7(),
    })
}

fn changed(field: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[field] = value;
    claims
}

fn without(field: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().expect("an object").remove(field);
    claims
}

fn sign_for(signer: &Signer, lifetime: Duration) -> String {
    let subject = Subject { player_id: Uuid::now_v7(), name: "Ann", roles: Roles::of(&[Role::Player]) };
    signer.sign(&subject, SystemTime::now(), lifetime).expect("signed").text
}

#[test]
fn a_token_of_ours_tells_who_calls() {
    let fixture = Fixture::new();
    let player_id = Uuid::now_v7();
    let roles = Roles::of(&[Role::Player, Role::Moderator]);
    let subject = Subject { player_id, name: "Ann", roles };
    let token = fixture.signer().sign(&subject, SystemTime::now(), Duration::from_secs(600)).expect("signed");
    let expected = Principal { player_id, name: "Ann".to_owned(), roles, expires_at: token.expires_at };
    assert_eq!(fixture.verifier.verify(&token.text), Ok(expected.clone()));
    // The second time from the cache.
    assert_eq!(fixture.verifier.verify(&token.text), Ok(expected));
}

#[test]
fn a_role_that_we_do_not_know_gives_no_right() {
    let principal = Fixture::new().verify(&claims()).expect("a good token");
    assert_eq!(principal.roles.names(), ["player"]);
}

/// KIT-2
#[test]
fn a_token_of_another_issuer_audience_or_shape_is_refused() {
    let fixture = Fixture::new();
    for claims in [
        changed("iss", json!("somebody")),
        changed("aud", json!("elsewhere")),
        changed("sub", json!("no uuid")),
        changed("exp", json!("soon")),
        without("iss"),
        without("aud"),
        without("exp"),
        without("sub"),
    ] {
        assert_eq!(fixture.verify(&claims), Err(TokenError::Invalid), "{claims}");
    }
}

/// KIT-2
#[test]
fn a_token_of_another_key_or_algorithm_is_refused() {
    let fixture = Fixture::new();
    let foreign = sign_for(&Fixture::new().signer(), Duration::from_secs(600));
    assert_eq!(fixture.verifier.verify(&foreign), Err(TokenError::Invalid));

    // The classic confusion: the public key, which everybody has, as the secret of an HMAC.
    let secret = EncodingKey::from_secret(fixture.pair.public_pem.as_bytes()).expect("a secret");
    let hmac = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims(), &secret).expect("signed");
    assert_eq!(fixture.verifier.verify(&hmac), Err(TokenError::Invalid));

    let encode = |value: &Value| {
        base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, value.to_string())
    };
    let none = format!("{}.{}.", encode(&json!({"alg": "none", "typ": "JWT"})), encode(&claims()));
    assert_eq!(fixture.verifier.verify(&none), Err(TokenError::Invalid));
}

#[test]
fn a_tampered_or_malformed_token_is_refused() {
    let fixture = Fixture::new();
    let token = sign_for(&fixture.signer(), Duration::from_secs(600));
    assert!(fixture.verifier.verify(&token).is_ok());
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    let payload =
        base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, &parts[1]).expect("base64");
    let operator = String::from_utf8(payload).expect("json").replace("[\"player\"]", "[\"operator\"]");
    parts[1] = base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, operator);
    for bad in [
        parts.join("."),
        token[..token.len() - 2].to_owned(),
        "a.b.c".to_owned(),
        String::new(),
        "x".repeat(5000),
    ] {
        assert_eq!(fixture.verifier.verify(&bad), Err(TokenError::Invalid), "{bad}");
    }
}

/// KIT-2
#[tokio::test]
async fn a_token_in_the_cache_still_ends() {
    let fixture = Fixture::new();
    let token = sign_for(&fixture.signer(), Duration::from_secs(2));
    assert!(fixture.verifier.verify(&token).is_ok());
    let error = eventually(Duration::from_secs(5), || async { fixture.verifier.verify(&token).err() }).await;
    assert_eq!(error, TokenError::Expired);
    assert_eq!(fixture.verify(&changed("exp", json!(now_s() - 1))), Err(TokenError::Expired));
}

#[test]
fn a_handler_is_told_why_nobody_is_known() {
    let reason = |authentication: Option<Authentication>| {
        let mut request = Request::new(());
        if let Some(authentication) = authentication {
            request.extensions_mut().insert(authentication);
        }
        let status = principal(&request).expect_err("nobody");
        assert_eq!(status.code(), tonic::Code::Unauthenticated);
        let details = tonic_types::StatusExt::get_error_details(&status);
        details.error_info().expect("an error info").reason.clone()
    };
    assert_eq!(reason(None), "TOKEN_MISSING");
    assert_eq!(reason(Some(Authentication::Anonymous)), "TOKEN_MISSING");
    assert_eq!(reason(Some(Authentication::Refused(TokenError::Expired))), "TOKEN_EXPIRED");
    assert_eq!(reason(Some(Authentication::Refused(TokenError::Invalid))), "TOKEN_INVALID");
}

#[test]
fn a_role_is_required_by_name() {
    let principal = Fixture::new().verify(&claims()).expect("a good token");
    assert!(require_role(&principal, Role::Player).is_ok());
    let status = require_role(&principal, Role::Operator).expect_err("no operator");
    assert_eq!(status.code(), tonic::Code::PermissionDenied);
}

#[test]
fn development_keys_are_made_once_and_known_wherever_they_are_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = KeyPair::development(folder.path()).expect("keys");
    let before = std::fs::read(&files.private).expect("a file");
    KeyPair::development(folder.path()).expect("keys");
    assert_eq!(before, std::fs::read(&files.private).expect("a file"));
    let copy = folder.path().join("production.pem");
    std::fs::copy(&files.private, &copy).expect("copied");
    assert!(is_development_key_file(&files.private) && is_development_key_file(&copy));
    // And they work.
    let signer = Signer::from_file(&files.private, ISSUER).expect("a private key");
    let pem = std::fs::read(&files.public).expect("a file");
    let verifier = Verifier::from_pem(&pem, ISSUER).expect("a public key");
    assert!(verifier.verify(&sign_for(&signer, Duration::from_secs(60))).is_ok());
}
