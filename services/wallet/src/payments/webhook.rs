//! A provider that calls back: `POST /v1/payments/events`, signed.
//!
//! The header `stakemate-signature: t=<seconds since the epoch>,v1=<hex>` holds the HMAC-SHA256, with the shared secret, of the
//! time, a dot and the body. A call is believed only with a good signature that is not older than [`AGE_MAX`]. Its `id` is what
//! makes it happen once: told again, in any number and at once, it is answered 200 and nothing happens (case F17).
//!
//! | answer | means |
//! |---|---|
//! | 200 | done, now or before |
//! | 400 | not signed by the provider, too old, or not such a message |
//! | 404 | there is no such payment or transfer |
//! | 409 | it does not fit what is known here; a person has to look |
//! | 503 | not now: call again |

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use event_store::{CommitSignal, Metadata};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use sha2::Sha256;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::payments::{Beginning, Payment, PaymentProvider};
use crate::cashier::{self, CashierError, Notice, ProviderWord};
use crate::telemetry;

/// The header of the signature.
pub const SIGNATURE: &str = "stakemate-signature";
/// How old, or how far ahead, a signature may be.
pub const AGE_MAX: Duration = Duration::from_secs(300);
/// The longest body.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// The longest name that a provider may give to what happened.
pub const EVENT_ID_BYTES_MAX: usize = 128;
const NAME: &str = "webhook";

/// A provider with a page where players pay, and a secret that it signs with.
#[derive(Debug, Clone)]
pub struct Webhook {
    checkout_url: String,
    secret: SecretString,
}

impl Webhook {
    /// With the page, to which the payment is appended, and the secret.
    #[must_use]
    pub fn new(checkout_url: String, secret: SecretString) -> Self {
        Self { checkout_url, secret }
    }

    /// The signature of a body at a time, as it stands in the header.
    #[must_use]
    pub fn sign(&self, at: OffsetDateTime, body: &[u8]) -> String {
        let seconds = at.unix_timestamp();
        let signature = self.mac(seconds, body).finalize().into_bytes();
        format!("t={seconds},v1={}", crate::sealing::hex(&signature))
    }

    /// Whether the header signs the body, and not too long ago. The comparison takes as long for any wrong signature.
    #[must_use]
    pub fn is_signed(&self, header: &str, body: &[u8], now: OffsetDateTime) -> bool {
        let field = |name: &str| header.split(',').find_map(|part| part.trim().strip_prefix(name));
        let seconds: Option<i64> = field("t=").and_then(|text| text.parse().ok());
        let signature = field("v1=").and_then(unhex);
        let (Some(seconds), Some(signature)) = (seconds, signature) else { return false };
        let age = now.unix_timestamp().abs_diff(seconds);
        age <= AGE_MAX.as_secs() && self.mac(seconds, body).verify_slice(&signature).is_ok()
    }

    fn mac(&self, seconds: i64, body: &[u8]) -> Hmac<Sha256> {
        let key = self.secret.expose_secret().as_bytes();
        Hmac::<Sha256>::new_from_slice(key)
            .expect("a key of any length makes a MAC")
            .chain_update(format!("{seconds}."))
            .chain_update(body)
    }
}

impl PaymentProvider for Webhook {
    fn name(&self) -> &'static str {
        NAME
    }

    fn begin(&self, payment: &Payment) -> Beginning {
        let sum = payment.sum;
        let joint = if self.checkout_url.contains('?') { '&' } else { '?' };
        let checkout_url = format!(
            "{}{joint}payment_id={}&minor_units={}&currency={}",
            self.checkout_url,
            payment.id,
            sum.amount.minor(),
            sum.currency
        );
        Beginning::Pending { checkout_url }
    }
}

/// What the provider sends.
#[derive(Debug, Deserialize)]
struct Sent {
    id: String,
    #[serde(flatten)]
    notice: SentNotice,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum SentNotice {
    #[serde(rename = "payment.settled")]
    Settled { payment_id: Uuid, minor_units: i64, currency: String },
    #[serde(rename = "payment.failed")]
    Failed { payment_id: Uuid },
    #[serde(rename = "withdrawal.failed")]
    WithdrawalFailed { transfer_id: Uuid, player_id: Uuid },
}

/// Where the provider calls.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The wallet's database.
    pub pool: PgPool,
    /// Wakes the relay.
    pub signal: CommitSignal,
    /// The provider.
    pub provider: Webhook,
}

impl Endpoint {
    /// Serves until `shutdown`.
    pub async fn serve(self, listener: TcpListener, shutdown: CancellationToken) {
        let router = Router::new()
            .route("/v1/payments/events", post(receive))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .with_state(self);
        let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown.cancelled_owned());
        if let Err(error) = serving.await {
            tracing::error!(%error, "the endpoint of the payment provider failed");
        }
    }

    async fn hear(self, word: ProviderWord) -> Result<bool, CashierError> {
        let mut tx = self.pool.begin().await?;
        let metadata = Metadata::for_request(NAME, Uuid::now_v7());
        let is_new = cashier::hear(&mut tx, &word, metadata).await?;
        tx.commit().await?;
        self.signal.committed();
        Ok(is_new)
    }
}

async fn receive(
    State(endpoint): State<Endpoint>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, &'static str) {
    let header = headers.get(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !endpoint.provider.is_signed(header, &body, OffsetDateTime::now_utc()) {
        return answered(StatusCode::BAD_REQUEST, "not signed\n");
    }
    let Some(word) = read(&body) else {
        return answered(StatusCode::BAD_REQUEST, "not such a message\n");
    };
    let event_id = word.event_id.clone();
    // In a task of its own: a provider that hangs up does not interrupt it.
    let heard = tokio::spawn(endpoint.hear(word)).await;
    match heard {
        Ok(Ok(true)) => answered(StatusCode::OK, "done\n"),
        Ok(Ok(false)) => answered(StatusCode::OK, "known\n"),
        Ok(Err(CashierError::Unknown)) => answered(StatusCode::NOT_FOUND, "no such payment or transfer\n"),
        Ok(Err(
            error @ (CashierError::Concluded
            | CashierError::OtherAmount
            | CashierError::Refused(_)
            | CashierError::NoAccount),
        )) => {
            tracing::error!(event_id, %error, "a payment provider's word does not fit");
            answered(StatusCode::CONFLICT, "does not fit\n")
        }
        Ok(Err(error)) => {
            tracing::warn!(event_id, %error, "a payment provider's word could not be noted");
            answered(StatusCode::SERVICE_UNAVAILABLE, "not now\n")
        }
        Err(_) => answered(StatusCode::SERVICE_UNAVAILABLE, "not now\n"),
    }
}

fn answered(code: StatusCode, text: &'static str) -> (StatusCode, &'static str) {
    metrics::counter!(telemetry::PROVIDER_CALLS, "answer" => code.as_str().to_owned()).increment(1);
    (code, text)
}

fn read(body: &[u8]) -> Option<ProviderWord> {
    let sent: Sent = serde_json::from_slice(body).ok()?;
    if sent.id.is_empty() || sent.id.len() > EVENT_ID_BYTES_MAX || sent.id.contains('\0') {
        return None;
    }
    let notice = match sent.notice {
        SentNotice::Settled { payment_id, minor_units, currency } => {
            Notice::Settled { payment: payment_id, minor: minor_units, currency }
        }
        SentNotice::Failed { payment_id } => Notice::Failed { payment: payment_id },
        SentNotice::WithdrawalFailed { transfer_id, player_id } => {
            Notice::WithdrawalFailed { transfer: transfer_id, player: player_id }
        }
    };
    Some(ProviderWord { provider: NAME, event_id: sent.id, notice })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) || !bytes.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider() -> Webhook {
        Webhook::new("https://pay.example/".to_owned(), SecretString::from("a shared secret"))
    }

    #[test]
    fn only_the_holder_of_the_secret_can_sign_and_not_for_ever() {
        let (provider, now) = (provider(), OffsetDateTime::UNIX_EPOCH + Duration::from_secs(1_000_000));
        let header = provider.sign(now, b"body");
        assert!(provider.is_signed(&header, b"body", now));
        assert!(provider.is_signed(&header, b"body", now + AGE_MAX));
        assert!(!provider.is_signed(&header, b"body", now + AGE_MAX + Duration::from_secs(1)));
        assert!(!provider.is_signed(&header, b"body", now - AGE_MAX - Duration::from_secs(1)));
        assert!(!provider.is_signed(&header, b"bodY", now));
        let other = Webhook::new(String::new(), SecretString::from("another secret"));
        assert!(!other.is_signed(&header, b"body", now));
        let newer = header.replace("t=1000000", "t=1000001");
        assert!(!provider.is_signed(&newer, b"body", now));
        for bad in ["", "t=1000000", "v1=00", "t=x,v1=zz", "t=1000000,v1=", "t=1000000,v1=0"] {
            assert!(!provider.is_signed(bad, b"body", now), "{bad}");
        }
    }

    #[test]
    fn what_is_not_such_a_message_is_not_read() {
        let id = Uuid::from_u128(7);
        let good = format!(r#"{{"id":"e1","type":"payment.failed","payment_id":"{id}"}}"#);
        assert_eq!(read(good.as_bytes()).expect("readable").notice, Notice::Failed { payment: id });
        for bad in [
            String::new(),
            "[]".to_owned(),
            good.replace("e1", ""),
            good.replace("payment.failed", "payment.paid"),
            good.replace("payment_id", "payment"),
            format!(
                r#"{{"id":"e1","type":"payment.settled","payment_id":"{id}","minor_units":1.5,"currency":"XPL"}}"#
            ),
            format!(
                r#"{{"id":"e1","type":"payment.settled","payment_id":"{id}","minor_units":9223372036854775808,"currency":"XPL"}}"#
            ),
        ] {
            assert_eq!(read(bad.as_bytes()), None, "{bad}");
        }
    }
}
