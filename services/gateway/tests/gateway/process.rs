//! The gateway as a process: configuration, migrations, exit codes, signals.

use std::collections::HashMap;
use std::process::{Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use service_kit::auth::KeyPair;
use service_kit::server::STOP_MAX;
use tempfile::TempDir;
use test_kit::{TestDatabase, eventually};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::clients;
use crate::fixture::PATIENCE;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stakemate-gateway");

/// Everything that a gateway must be told, for development.
async fn variables(folder: &TempDir) -> (HashMap<&'static str, String>, TestDatabase) {
    let database = test_kit::postgres().await.database("gateway").await;
    let keys = KeyPair::development(folder.path()).expect("keys");
    let nobody = || "http://127.0.0.1:9".to_owned();
    let variables = HashMap::from([
        ("STAKEMATE_ENVIRONMENT", "development".to_owned()),
        ("STAKEMATE_GRPC_ADDRESS", "127.0.0.1:0".to_owned()),
        ("STAKEMATE_ADMIN_ADDRESS", "127.0.0.1:0".to_owned()),
        ("STAKEMATE_EDGE_ADDRESS", "127.0.0.1:0".to_owned()),
        ("STAKEMATE_DATABASE_URL", database.url.clone()),
        ("STAKEMATE_NATS_URL", test_kit::nats().await.url()),
        ("STAKEMATE_REDIS_URL", test_kit::redis().await.url()),
        ("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", keys.public.display().to_string()),
        ("STAKEMATE_TOKEN_PRIVATE_KEY_FILE", keys.private.display().to_string()),
        ("STAKEMATE_UPSTREAM_GAME", nobody()),
        ("STAKEMATE_UPSTREAM_MATCHMAKING", nobody()),
        ("STAKEMATE_UPSTREAM_RATING", nobody()),
        ("STAKEMATE_UPSTREAM_WALLET", nobody()),
        ("STAKEMATE_UPSTREAM_FAIRPLAY", nobody()),
    ]);
    (variables, database)
}

async fn run(variables: &HashMap<&str, String>, arguments: &[&str]) -> Output {
    let output =
        Command::new(PROGRAM).args(arguments).env_clear().envs(variables).kill_on_drop(true).output();
    tokio::time::timeout(PATIENCE, output).await.expect("it ends by itself").expect("started")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_bad_configuration_is_refused_with_every_bad_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut variables, _database) = variables(&folder).await;
    variables.insert("STAKEMATE_GRPC_ADDRESS", "here".to_owned());
    variables.insert("STAKEMATE_RATE_CALLS_BURST", "many".to_owned());
    variables.insert("STAKEMATE_UPSTREAM_GAME", "the game service".to_owned());
    let output = run(&variables, &[]).await;
    assert_eq!(output.status.code(), Some(3));
    let complaint = complaint(&output);
    for name in ["STAKEMATE_GRPC_ADDRESS", "STAKEMATE_RATE_CALLS_BURST", "STAKEMATE_UPSTREAM_GAME"] {
        assert!(complaint.contains(name), "{complaint}");
    }
}

#[tokio::test]
async fn production_refuses_the_keys_and_settings_of_development() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut variables, _database) = variables(&folder).await;
    variables.insert("STAKEMATE_ENVIRONMENT", "production".to_owned());
    variables.insert("STAKEMATE_ALLOWED_ORIGINS", "*".to_owned());
    variables.insert("STAKEMATE_FIRST_ROLES", "olga=operator".to_owned());
    let output = run(&variables, &[]).await;
    assert_eq!(output.status.code(), Some(3));
    let complaint = complaint(&output);
    for name in [
        "STAKEMATE_TOKEN_PUBLIC_KEY_FILE",
        "STAKEMATE_TOKEN_PRIVATE_KEY_FILE",
        "STAKEMATE_ALLOWED_ORIGINS",
        "STAKEMATE_FIRST_ROLES",
    ] {
        assert!(complaint.contains(name), "{complaint}");
    }
}

#[tokio::test]
async fn migrations_run_alone_and_may_be_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let (variables, database) = variables(&folder).await;
    // Nothing else need be known for it.
    let only = HashMap::from([("STAKEMATE_DATABASE_URL", variables["STAKEMATE_DATABASE_URL"].clone())]);
    for _ in 0..2 {
        let output = run(&only, &["migrate"]).await;
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    }
    sqlx::query("select player_id from accounts").execute(&database.pool).await.expect("the table is there");
    assert_eq!(run(&HashMap::new(), &["migrate"]).await.status.code(), Some(3));
    assert_eq!(run(&only, &["dance"]).await.status.code(), Some(2));
}

#[tokio::test]
async fn a_role_is_granted_and_revoked_by_name_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let (variables, database) = variables(&folder).await;
    assert_eq!(run(&variables, &["migrate"]).await.status.code(), Some(0));
    sqlx::query(
        "insert into accounts (player_id, name, name_key, password_hash, roles, registered_at)
         values (gen_random_uuid(), 'Olga', 'olga', '', '{player}', now())",
    )
    .execute(&database.pool)
    .await
    .expect("signed up");
    let granted = run(&variables, &["grant-role", "olga", "operator", "on call this week"]).await;
    assert_eq!(granted.status.code(), Some(0), "{}", complaint(&granted));
    assert_eq!(String::from_utf8_lossy(&granted.stdout).trim(), "Olga is now player, operator");
    // The same again changes nothing.
    assert_eq!(run(&variables, &["grant-role", "OLGA", "operator", "again"]).await.status.code(), Some(0));
    let revoked = run(&variables, &["revoke-role", "olga", "operator", "her week is over"]).await;
    assert_eq!(String::from_utf8_lossy(&revoked.stdout).trim(), "Olga is now player");
    let events: Vec<(String, bool)> = sqlx::query_as(
        "select type, exists (select from outbox o where o.stream_id = e.stream_id and o.version = e.version)
         from events e order by version",
    )
    .fetch_all(&database.pool)
    .await
    .expect("readable");
    assert_eq!(events, [("PlayerRolesChanged".to_owned(), false), ("PlayerRolesChanged".to_owned(), false)]);
    for refused in [
        ["grant-role", "nobody", "operator", "why not"],
        ["grant-role", "olga", "emperor", "why not"],
        ["grant-role", "olga", "operator", " "],
    ] {
        assert_eq!(run(&variables, &refused).await.status.code(), Some(1), "{refused:?}");
    }
}

/// H01
#[tokio::test]
async fn sigterm_ends_the_process_in_time_although_clients_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut variables, _database) = variables(&folder).await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let edge = port.expect("a free port");
    variables.insert("STAKEMATE_EDGE_ADDRESS", edge.to_string());
    let mut child = Command::new(PROGRAM)
        .env_clear()
        .envs(&variables)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("started");
    let _idle = eventually(PATIENCE, || async { TcpStream::connect(edge).await.ok() }).await;
    let _connected = clients::grpc(edge).await;
    let pid = i32::try_from(child.id().expect("running")).expect("a pid");
    let begun = std::time::Instant::now();
    kill(Pid::from_raw(pid), Signal::SIGTERM).expect("signalled");
    let status = child.wait().await.expect("ended");
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < STOP_MAX);
    let output = child.wait_with_output().await.expect("read");
    let log = String::from_utf8_lossy(&output.stdout);
    for line in log.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    assert!(log.contains("asked to stop") && log.contains("stopped"), "{log}");
}
