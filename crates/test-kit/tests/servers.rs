//! The servers start, keep tests apart, and do not outlive the process.

use std::process::{Command, Stdio};
use std::time::Duration;

use async_nats::jetstream;
use test_kit::{Durability, eventually};

const PATIENCE: Duration = Duration::from_secs(60);
const HOLDER: &str = "STAKEMATE_TEST_HOLDER";

// KIT-3
#[tokio::test]
async fn two_tests_do_not_see_each_others_tables() {
    let one = test_kit::postgres().await.database("Same name!").await;
    let two = test_kit::postgres().await.database("Same name!").await;
    sqlx::query("create table only_here (id int)")
        .execute(&one.pool)
        .await
        .expect("a table in an empty database");
    let seen: bool = sqlx::query_scalar("select to_regclass('only_here') is not null")
        .fetch_one(&two.pool)
        .await
        .expect("a query");
    assert!(!seen);
}

#[tokio::test]
async fn the_durable_postgres_syncs_and_the_quick_one_does_not() {
    let durable = test_kit::durable_postgres().await.database("fsync").await;
    let quick = test_kit::postgres().await.database("fsync").await;
    for (database, expected) in [(durable, "on"), (quick, "off")] {
        let fsync: String =
            sqlx::query_scalar("show fsync").fetch_one(&database.pool).await.expect("a setting");
        assert_eq!(fsync, expected);
    }
}

#[tokio::test]
async fn a_crashed_postgres_comes_back_with_what_was_committed() {
    let mut postgres = test_kit::own_postgres(Durability::Durable).await;
    let database = postgres.database("crash").await;
    sqlx::query("create table kept as select 7 as value").execute(&database.pool).await.expect("a table");
    database.pool.close().await;
    postgres.crash();
    postgres.start().expect("a start after a crash");
    let pool = sqlx::PgPool::connect(&database.url).await.expect("the same address");
    let value: i32 =
        sqlx::query_scalar("select value from kept").fetch_one(&pool).await.expect("the committed row");
    assert_eq!(value, 7);
    pool.close().await;
}

#[tokio::test]
async fn nats_has_jetstream_and_is_empty_after_a_lost_disk_at_the_same_address() {
    let mut nats = test_kit::own_nats().await;
    let url = nats.url();
    let client = async_nats::connect(&url).await.expect("a connection");
    jetstream::new(client)
        .create_stream(jetstream::stream::Config { name: "S".into(), ..Default::default() })
        .await
        .expect("a stream");
    nats.stop_and_empty().expect("an empty folder");
    nats.start().expect("a start");
    assert_eq!(nats.url(), url);
    let client = async_nats::connect(&url).await.expect("a connection");
    assert!(jetstream::new(client).get_stream("S").await.is_err());
}

#[tokio::test]
async fn the_shared_nats_and_redis_answer() {
    async_nats::connect(test_kit::nats().await.url()).await.expect("a connection");
    let client = redis::Client::open(test_kit::redis().await.url()).expect("an address");
    let mut connection = client.get_multiplexed_async_connection().await.expect("a connection");
    let pong: String = redis::cmd("PING").query_async(&mut connection).await.expect("an answer");
    assert_eq!(pong, "PONG");
}

/// Not a test of its own: the process that the next test kills. Without the variable it has nothing to do.
#[tokio::test]
async fn holder_of_servers() {
    let Ok(file) = std::env::var(HOLDER) else {
        return;
    };
    let database = test_kit::postgres().await.database("held").await;
    let nats = test_kit::nats().await.url();
    std::fs::write(&file, format!("{}\n{nats}", database.url)).expect("a file");
    std::future::pending::<()>().await;
}

// KIT-1, KIT-2
#[tokio::test]
async fn servers_and_folders_of_a_killed_process_vanish() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("addresses");
    let mut holder = Command::new(std::env::current_exe().expect("our own program"))
        .args(["--exact", "holder_of_servers"])
        .env(HOLDER, &file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a second process");
    let text = eventually(PATIENCE, || async {
        std::fs::read_to_string(&file).ok().filter(|text| text.contains('\n'))
    })
    .await;
    let (url, nats) = text.split_once('\n').expect("two lines");
    let socket_folder = url.split("host=").nth(1).expect("a socket folder");
    holder.kill().expect("a running process");
    holder.wait().expect("an end");
    eventually(PATIENCE, || async { (!std::path::Path::new(socket_folder).exists()).then_some(()) }).await;
    assert!(async_nats::connect(nats).await.is_err());
}
