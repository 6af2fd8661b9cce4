use std::path::Path;

use futures::future::join_all;
use sqlx::AssertSqlSafe;

use super::*;

static NO_MIGRATIONS: Migrator = Migrator::DEFAULT;

fn config(url: &str) -> CommonConfig {
    CommonConfig::development(url, "nats://nobody", Path::new("no-key.pem"))
}

#[tokio::test]
async fn processes_that_start_together_migrate_one_after_the_other() {
    let database = test_kit::postgres().await.database("kit").await;
    let config = config(&database.url);
    let opened = join_all((0..6).map(|_| open(&config, "game", &NO_MIGRATIONS))).await;
    for pool in opened {
        let pool = pool.expect("opened");
        for table in ["events", "outbox", "inbox", "dead_letters"] {
            let query = sqlx::query(AssertSqlSafe(format!("select count(*) from {table}")));
            query.execute(&pool).await.expect("the table is there");
        }
    }
}

#[tokio::test]
async fn every_connection_has_its_limits() {
    let database = test_kit::postgres().await.database("kit").await;
    let pool = open(&config(&database.url), "wallet", &NO_MIGRATIONS).await.expect("opened");
    for (setting, value) in [
        ("statement_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("lock_timeout", "5s"),
        ("application_name", "wallet"),
    ] {
        let query = sqlx::query_scalar(AssertSqlSafe(format!("show {setting}")));
        let shown: String = query.fetch_one(&pool).await.expect("shown");
        assert_eq!(shown, value, "{setting}");
    }
}

/// Waiting helps against a Postgres that starts, not against a wrong address.
#[tokio::test]
async fn what_waiting_cannot_mend_fails_at_once_and_shows_no_password() {
    let database = test_kit::postgres().await.database("kit").await;
    let url = database.url.replacen("/kit", "/no_such_kit", 1);
    assert_ne!(url, database.url);
    let missing = open(&config(&url), "game", &NO_MIGRATIONS).await.expect_err("no such database");
    assert!(matches!(missing, OpenError::Unreachable(_)), "{missing:?}");
    let malformed =
        open(&config("postgres://u:hunter2@:x:/"), "game", &NO_MIGRATIONS).await.expect_err("malformed");
    assert!(matches!(malformed, OpenError::Url(_)), "{malformed:?}");
    assert!(!malformed.to_string().contains("hunter2"));
}
