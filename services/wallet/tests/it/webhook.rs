//! A payment provider that calls back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use event_store::CommitSignal;
use futures::future::join_all;
use proto::wallet::v1 as pb;
use proto::wallet::v1::wallet_service_server::WalletService as _;
use secrecy::SecretString;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;
use wallet::app::desk::Desk;
use wallet::grpc::Service;
use wallet::payments::Webhook;
use wallet::payments::webhook::Endpoint;

use crate::support::counter::{desk, id, money, player, service};
use crate::support::{assert_clean, balance, database, sign_up};

struct Provider {
    pool: PgPool,
    service: Service,
    webhook: Webhook,
    address: SocketAddr,
    _stop: DropGuard,
}

impl Provider {
    async fn new() -> Self {
        let pool = database().await;
        let webhook = Webhook::new("https://pay.example/".to_owned(), SecretString::from("a shared secret"));
        let desk = Desk { provider: Some(Arc::new(webhook.clone())), ..desk() };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let endpoint =
            Endpoint { pool: pool.clone(), signal: CommitSignal::new(), provider: webhook.clone() };
        let stop = CancellationToken::new();
        tokio::spawn(endpoint.serve(listener, stop.clone()));
        Self { service: service(&pool, desk), pool, webhook, address, _stop: stop.drop_guard() }
    }

    async fn begin(&self, who: Uuid, minor: i64) -> String {
        let request = pb::CreateDepositRequest { request_id: id(), amount: money(minor) };
        let answer = self.service.create_deposit(player(who, request)).await.expect("begun").into_inner();
        assert_eq!(answer.state(), pb::PaymentState::Pending);
        assert!(answer.checkout_url.starts_with("https://pay.example/?payment_id="));
        answer.payment_id
    }

    async fn call(&self, body: &str) -> u16 {
        self.call_signed(body, &self.webhook.sign(OffsetDateTime::now_utc(), body.as_bytes())).await
    }

    async fn call_signed(&self, body: &str, signature: &str) -> u16 {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        let request = format!(
            "POST /v1/payments/events HTTP/1.1\r\nhost: wallet\r\nconnection: close\r\n\
             stakemate-signature: {signature}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("answered");
        answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status")
    }
}

fn settled(event_id: &str, payment_id: &str, minor: i64) -> String {
    format!(
        r#"{{"id":"{event_id}","type":"payment.settled","payment_id":"{payment_id}","minor_units":{minor},"currency":"XPL"}}"#
    )
}

#[tokio::test]
async fn one_event_told_three_times_at_once_and_again_later_brings_money_once() {
    // F17
    let provider = Provider::new().await;
    let who = sign_up(&provider.pool, 0).await;
    let payment = provider.begin(who, 700).await;
    assert_eq!(balance(&provider.pool, who).await, (0, 0));
    let body = settled("e1", &payment, 700);
    assert_eq!(join_all((0..3).map(|_| provider.call(&body))).await, [200; 3]);
    assert_eq!(balance(&provider.pool, who).await, (700, 0));
    assert_eq!(provider.call(&body).await, 200);
    // The same payment under another name is a contradiction, not more money.
    assert_eq!(provider.call(&settled("e2", &payment, 700)).await, 409);
    assert_eq!(balance(&provider.pool, who).await, (700, 0));
    assert_clean(&provider.pool).await;
}

#[tokio::test]
async fn what_is_not_signed_or_does_not_fit_changes_nothing() {
    let provider = Provider::new().await;
    let who = sign_up(&provider.pool, 0).await;
    let payment = provider.begin(who, 700).await;
    let body = settled("e1", &payment, 700);
    let old = OffsetDateTime::now_utc() - Duration::from_secs(3_600);
    let stale = provider.webhook.sign(old, body.as_bytes());
    assert_eq!(provider.call_signed(&body, &stale).await, 400);
    assert_eq!(provider.call_signed(&body, "").await, 400);
    let other = provider.webhook.sign(OffsetDateTime::now_utc(), b"another body");
    assert_eq!(provider.call_signed(&body, &other).await, 400);
    assert_eq!(provider.call("{}").await, 400);
    assert_eq!(provider.call(&settled("e2", &payment, 701)).await, 409);
    assert_eq!(provider.call(&body.replace("XPL", "EUR")).await, 409);
    assert_eq!(provider.call(&settled("e3", &id(), 700)).await, 404);
    assert_eq!(balance(&provider.pool, who).await, (0, 0));
    // Refused words leave no trace: the right one under the same name is new.
    assert_eq!(provider.call(&body).await, 200);
    assert_eq!(balance(&provider.pool, who).await, (700, 0));
    assert_clean(&provider.pool).await;
}

#[tokio::test]
async fn a_failed_payment_brings_nothing_and_a_failed_withdrawal_comes_back_once() {
    let provider = Provider::new().await;
    let who = sign_up(&provider.pool, 500).await;
    let payment = provider.begin(who, 700).await;
    let failed = format!(r#"{{"id":"f1","type":"payment.failed","payment_id":"{payment}"}}"#);
    assert_eq!(provider.call(&failed).await, 200);
    assert_eq!(provider.call(&settled("f2", &payment, 700)).await, 409);
    let request = pb::CreateWithdrawalRequest { request_id: id(), amount: money(300), validate_only: false };
    let taken = provider.service.create_withdrawal(player(who, request)).await.expect("done").into_inner();
    assert_eq!(balance(&provider.pool, who).await, (200, 0));
    let back = |event: &str| {
        format!(
            r#"{{"id":"{event}","type":"withdrawal.failed","transfer_id":"{}","player_id":"{who}"}}"#,
            taken.transfer_id
        )
    };
    assert_eq!(join_all((0..3).map(|_| async { provider.call(&back("w1")).await })).await, [200; 3]);
    assert_eq!(provider.call(&back("w2")).await, 409);
    assert_eq!(balance(&provider.pool, who).await, (500, 0));
    assert_clean(&provider.pool).await;
}
