//! Tokens that must not be believed (OWASP API2).

use std::time::{Duration, SystemTime};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use proto::gateway::v1::GetAccountRequest;
use serde_json::{Value, json};
use tonic::Code;
use uuid::Uuid;

use crate::fixture::{Fixture, reason, with_token};

fn claims(player_id: &str) -> Value {
    let now_s = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    json!({
        "iss": "stakemate", "aud": "stakemate", "sub": player_id, "name": "Kay", "roles": ["player"],
        "iat": now_s, "exp": now_s + 600, "jti": Uuid::now_v7(),
    })
}

fn changed(player_id: &str, field: &str, value: Value) -> Value {
    let mut claims = claims(player_id);
    claims[field] = value;
    claims
}

fn base64(value: &Value) -> String {
    base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, value.to_string())
}

#[tokio::test]
async fn a_bad_token_is_refused_with_its_reason() {
    let fixture = Fixture::start().await;
    let player_id = fixture.sign_up("Kay").await.player_id;
    let pem = std::fs::read(&fixture.keys.private).expect("a file");
    let key = EncodingKey::from_ed_pem(&pem).expect("a private key");
    let sign =
        |claims: &Value| jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), claims, &key).expect("signed");

    let good = sign(&claims(&player_id));
    let past_s = (SystemTime::now() - Duration::from_secs(1))
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970");
    let expired = sign(&changed(&player_id, "exp", json!(past_s.as_secs())));
    let wrong_audience = sign(&changed(&player_id, "aud", json!("elsewhere")));
    let none = format!("{}.{}.", base64(&json!({"alg": "none"})), base64(&claims(&player_id)));
    let mut parts: Vec<_> = good.split('.').map(str::to_owned).collect();
    parts[1] = base64(&changed(&player_id, "roles", json!(["operator"])));
    let tampered = parts.join(".");

    let mut accounts = fixture.accounts().await;
    assert!(accounts.get_account(with_token(GetAccountRequest {}, &good)).await.is_ok());
    for (token, expected) in [
        (expired, "TOKEN_EXPIRED"),
        (wrong_audience, "TOKEN_INVALID"),
        (none, "TOKEN_INVALID"),
        (tampered, "TOKEN_INVALID"),
        ("nonsense".to_owned(), "TOKEN_INVALID"),
    ] {
        let refused =
            accounts.get_account(with_token(GetAccountRequest {}, &token)).await.expect_err("refused");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, expected), "{token}");
    }
    let refused = accounts.get_account(GetAccountRequest {}).await.expect_err("no token");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, "TOKEN_MISSING"));
    fixture.stop().await;
}
