//! Accounts and sessions.

use std::collections::BTreeSet;

use futures::future::join_all;
use prost::Message;
use proto::gateway::v1::{
    GetAccountRequest, PlayerRegistered, RefreshSessionRequest, SignInRequest, SignOutRequest, SignUpRequest,
};
use test_kit::eventually;
use tonic::{Code, Status};

use crate::fixture::{Fixture, PASSWORD, PATIENCE, bad_fields, details, reason, with_token};

async fn refresh(fixture: &Fixture, token: &str) -> Result<String, Status> {
    let request = RefreshSessionRequest { refresh_token: token.to_owned() };
    let response = fixture.accounts().await.refresh_session(request).await?;
    Ok(response.into_inner().session.expect("a session").refresh_token)
}

async fn sign_in(fixture: &Fixture, name: &str, password: &str) -> Result<String, Status> {
    let request = SignInRequest { name: name.to_owned(), password: password.to_owned() };
    let response = fixture.accounts().await.sign_in(request).await?;
    Ok(response.into_inner().session.expect("a session").player_id)
}

/// ACCOUNT-1
#[tokio::test]
async fn an_account_is_made_with_its_event_and_can_be_looked_at() {
    let fixture = Fixture::start().await;
    let session = fixture.sign_up("Ann-1").await;
    let request = with_token(GetAccountRequest {}, &session.access_token);
    let account = fixture.accounts().await.get_account(request).await.expect("an account").into_inner();
    assert_eq!((account.player_id.as_str(), account.name.as_str()), (session.player_id.as_str(), "Ann-1"));
    assert_eq!(account.roles, ["player"]);
    assert!(session.access_token_expires_at_ms < session.refresh_token_expires_at_ms);

    // The event is in the log, and the relay has published it.
    let subject = format!("evt.gateway.player.{}.PlayerRegistered", session.player_id);
    let nats = async_nats::connect(test_kit::nats().await.url()).await.expect("connected");
    let stream = async_nats::jetstream::new(nats).get_stream("EVENTS_GATEWAY").await.expect("a stream");
    let message =
        eventually(PATIENCE, || async { stream.get_last_raw_message_by_subject(&subject).await.ok() }).await;
    let event = PlayerRegistered::decode(message.payload).expect("an event");
    assert_eq!((event.player_id, event.name), (session.player_id, "Ann-1".to_owned()));
    assert_eq!(event.registered_at_ms, account.registered_at_ms);
    fixture.stop().await;
}

/// ACCOUNT-1
#[tokio::test]
async fn a_name_is_taken_in_any_case_and_only_one_of_many_gets_it() {
    let fixture = Fixture::start().await;
    let tries = join_all(["bob", "Bob", "BOB", "boB"].map(async |name| {
        let request = SignUpRequest { name: name.to_owned(), password: PASSWORD.to_owned() };
        fixture.accounts().await.sign_up(request).await
    }))
    .await;
    assert_eq!(tries.iter().filter(|tried| tried.is_ok()).count(), 1);
    for refused in tries.into_iter().filter_map(Result::err) {
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "NAME_TAKEN"));
    }
    let events: i64 =
        sqlx::query_scalar("select count(*) from events").fetch_one(&fixture.pool).await.expect("a count");
    assert_eq!(events, 1);
    fixture.stop().await;
}

#[tokio::test]
async fn every_bad_field_of_a_sign_up_is_named() {
    let fixture = Fixture::start().await;
    let request = SignUpRequest { name: "9".to_owned(), password: "short".to_owned() };
    let refused = fixture.accounts().await.sign_up(request).await.expect_err("malformed");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(bad_fields(&refused), ["name", "password"]);
    fixture.stop().await;
}

/// ACCOUNT-4
#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_get_the_same_answer() {
    let fixture = Fixture::start().await;
    let session = fixture.sign_up("Cleo").await;
    assert_eq!(sign_in(&fixture, "cleo", PASSWORD).await.expect("signed in"), session.player_id);
    let wrong_password = sign_in(&fixture, "Cleo", "battery staple").await.expect_err("wrong");
    let unknown_name = sign_in(&fixture, "Nobody", PASSWORD).await.expect_err("unknown");
    let no_name_at_all = sign_in(&fixture, "no name", PASSWORD).await.expect_err("unknown");
    for refused in [&wrong_password, &unknown_name, &no_name_at_all] {
        assert_eq!((refused.code(), reason(refused).as_str()), (Code::Unauthenticated, "CREDENTIALS_WRONG"));
        assert_eq!(refused.message(), wrong_password.message());
    }
    fixture.stop().await;
}

/// ACCOUNT-2
#[tokio::test]
async fn a_client_that_lost_the_answer_gets_the_same_successor_once_more() {
    // Given a client whose refresh token was exchanged, and who never saw for what
    let fixture = Fixture::start().await;
    let first = fixture.sign_up("Lola").await.refresh_token;
    let lost = refresh(&fixture, &first).await.expect("rotated");
    // When it asks again, twice
    let again = refresh(&fixture, &first).await.expect("answered again");
    let once_more = refresh(&fixture, &first).await.expect("answered again");
    // Then it gets what it was given before, and that is good
    assert_eq!((again.as_str(), once_more.as_str()), (lost.as_str(), lost.as_str()));
    let second = refresh(&fixture, &again).await.expect("rotated");
    assert_ne!(second, again);
    fixture.stop().await;
}

/// ACCOUNT-2
#[tokio::test]
async fn a_refresh_token_that_comes_again_late_ends_the_session() {
    // Given a token that was exchanged more than a minute ago
    let fixture = Fixture::start().await;
    let first = fixture.sign_up("Mona").await.refresh_token;
    let second = refresh(&fixture, &first).await.expect("rotated");
    let late = gateway::app::REPEATED_FOR + std::time::Duration::from_secs(1);
    sqlx::query(
        "update refresh_tokens set used_at = used_at - make_interval(secs => $1) where used_at is not null",
    )
    .bind(late.as_secs_f64())
    .execute(&fixture.pool)
    .await
    .expect("updated");
    // When it comes again, though its successor was never used
    let reused = refresh(&fixture, &first).await.expect_err("too late");
    // Then the whole session has ended
    assert_eq!((reused.code(), reason(&reused).as_str()), (Code::Unauthenticated, "REFRESH_TOKEN_INVALID"));
    assert_eq!(reason(&refresh(&fixture, &second).await.expect_err("ended")), "REFRESH_TOKEN_INVALID");
    fixture.stop().await;
}

/// ACCOUNT-2
#[tokio::test]
async fn a_refresh_token_whose_successor_was_used_ends_the_session() {
    let fixture = Fixture::start().await;
    let first = fixture.sign_up("Dora").await.refresh_token;
    let second = refresh(&fixture, &first).await.expect("rotated");
    let third = refresh(&fixture, &second).await.expect("rotated");
    // A thief, or the victim after the thief: nobody can tell.
    let reused = refresh(&fixture, &first).await.expect_err("used before");
    assert_eq!((reused.code(), reason(&reused).as_str()), (Code::Unauthenticated, "REFRESH_TOKEN_INVALID"));
    let ended = refresh(&fixture, &third).await.expect_err("the session has ended");
    assert_eq!(reason(&ended), "REFRESH_TOKEN_INVALID");
    // Another sign-in of the same player goes on.
    let request = SignInRequest { name: "Dora".to_owned(), password: PASSWORD.to_owned() };
    let other = fixture.accounts().await.sign_in(request).await.expect("signed in").into_inner();
    assert!(refresh(&fixture, &other.session.expect("a session").refresh_token).await.is_ok());
    fixture.stop().await;
}

/// ACCOUNT-2
#[tokio::test]
async fn many_refreshes_at_once_give_one_successor() {
    let fixture = Fixture::start().await;
    let token = fixture.sign_up("Emil").await.refresh_token;
    let tries = join_all((0..8).map(|_| refresh(&fixture, &token))).await;
    let successors: BTreeSet<String> = tries.into_iter().map(|tried| tried.expect("the successor")).collect();
    assert_eq!(successors.len(), 1);
    let kept: i64 = sqlx::query_scalar("select count(*) from refresh_tokens where used_at is null")
        .fetch_one(&fixture.pool)
        .await
        .expect("a count");
    assert_eq!(kept, 1);
    fixture.stop().await;
}

#[tokio::test]
async fn an_ended_or_made_up_refresh_token_is_refused() {
    let fixture = Fixture::start().await;
    let token = fixture.sign_up("Finn").await.refresh_token;
    sqlx::query("update refresh_tokens set expires_at = now() - interval '1 second'")
        .execute(&fixture.pool)
        .await
        .expect("updated");
    let made_up = "A".repeat(43);
    for bad in [token.as_str(), made_up.as_str(), "not a token"] {
        let refused = refresh(&fixture, bad).await.expect_err("not good");
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::Unauthenticated, "REFRESH_TOKEN_INVALID")
        );
    }
    let missing = refresh(&fixture, "").await.expect_err("missing");
    assert_eq!(bad_fields(&missing), ["refresh_token"]);
    fixture.stop().await;
}

#[tokio::test]
async fn signing_out_ends_the_session_and_may_be_repeated() {
    let fixture = Fixture::start().await;
    let token = fixture.sign_up("Gwen").await.refresh_token;
    for _ in 0..2 {
        let request = SignOutRequest { refresh_token: token.clone() };
        fixture.accounts().await.sign_out(request).await.expect("signed out");
    }
    assert_eq!(refresh(&fixture, &token).await.expect_err("ended").code(), Code::Unauthenticated);
    fixture.stop().await;
}

/// The password, and tokens as they are sent and as Postgres prints their bytes.
fn secrets_of(tokens: [&str; 2]) -> Vec<String> {
    let hex = |token: &str| -> String {
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, token);
        bytes.expect("a token").iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let tokens = tokens.into_iter().flat_map(|token| [token.to_owned(), hex(token)]);
    tokens.chain([PASSWORD.to_owned()]).collect()
}

/// ACCOUNT-3
#[tokio::test]
async fn neither_password_nor_refresh_token_is_in_the_database() {
    let fixture = Fixture::start().await;
    let token = fixture.sign_up("Hugo").await.refresh_token;
    let successor = refresh(&fixture, &token).await.expect("rotated");
    let secrets = secrets_of([&token, &successor]);
    let texts: Vec<String> = sqlx::query_scalar(
        "select accounts::text from accounts union all select sessions::text from sessions
         union all select refresh_tokens::text from refresh_tokens union all select events::text from events",
    )
    .fetch_all(&fixture.pool)
    .await
    .expect("rows");
    assert!(texts.len() >= 4);
    for text in texts {
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{text}");
    }
    fixture.stop().await;
}

#[tokio::test]
async fn what_has_ended_long_ago_is_deleted_and_nothing_else() {
    let fixture = Fixture::start().await;
    fixture.sign_up("Ines").await;
    sqlx::query("update refresh_tokens set expires_at = now() - interval '2 days'")
        .execute(&fixture.pool)
        .await
        .expect("updated");
    sqlx::query("update sessions set began_at = now() - interval '40 days'")
        .execute(&fixture.pool)
        .await
        .expect("updated");
    let kept = fixture.sign_up("Jane").await;
    gateway::store::tidy_once(&fixture.pool, time::OffsetDateTime::now_utc()).await.expect("tidied");
    let count = async |table: &'static str| -> i64 {
        let query = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        sqlx::query_scalar(query).fetch_one(&fixture.pool).await.expect("a count")
    };
    assert_eq!((count("accounts").await, count("sessions").await, count("refresh_tokens").await), (2, 1, 1));
    assert!(refresh(&fixture, &kept.refresh_token).await.is_ok());
    fixture.stop().await;
}

#[tokio::test]
async fn a_caller_without_an_account_here_finds_none() {
    let fixture = Fixture::start().await;
    let request = with_token(GetAccountRequest {}, &fixture.token());
    let refused = fixture.accounts().await.get_account(request).await.expect_err("no account");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "ACCOUNT_UNKNOWN"));
    assert_eq!(details(&refused).error_info().expect("an info").domain, "stakemate.gateway");
    fixture.stop().await;
}
