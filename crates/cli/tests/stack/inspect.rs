//! Looking into a running stack: events and dead letters.

use std::process::{Command, Output};

use event_store::{Append, CommitSignal, Metadata, NewEvent, Publication, StreamId};
use prost::Message as _;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};
use test_kit::eventually;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{PATIENCE, Scene};

fn stakemate(scene: &Scene, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stakemate"))
        .args(words)
        .arg("--data")
        .arg(scene.data())
        .output()
        .expect("our program")
}

fn json_lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

/// What the game service would do at its start, and one event of it.
async fn publish_one(pool: &PgPool, nats_url: &str, game: Uuid, shutdown: &CancellationToken) {
    for schema in [event_store::schema(), event_bus::schema()] {
        sqlx::raw_sql(AssertSqlSafe(schema)).execute(pool).await.expect("the tables");
    }
    event_store::make_partitions(pool).await.expect("the partitions");
    let event = proto::game::v1::GameStarted { game_id: game.to_string(), ..Default::default() };
    let append = Append {
        stream: StreamId { kind: "game", id: game },
        expected: 0,
        events: vec![NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind: "GameStarted",
            schema: 1,
            data: event.encode_to_vec(),
            publication: Publication::Public { follows: 0 },
        }],
        metadata: Metadata::for_request("anna", Uuid::now_v7()),
    };
    let mut transaction = pool.begin().await.expect("a transaction");
    event_store::append_in(&mut transaction, &append).await.expect("an empty stream");
    transaction.commit().await.expect("a commit");
    let bus = event_bus::connect(nats_url, "test").await.expect("a broker");
    event_bus::ensure_stream(&bus, "game").await.expect("a stream");
    tokio::spawn(event_bus::Relay::run(pool.clone(), bus, "game", CommitSignal::default(), shutdown.clone()));
}

#[tokio::test]
async fn events_are_shown_field_by_field_and_published_again() {
    let scene = Scene::new();
    let (launcher, _) = scene.start();
    let state = scene.state().expect("it runs");
    let pool = PgPool::connect(&state.services["game"].database_url).await.expect("a database");
    let (game, shutdown) = (Uuid::now_v7(), CancellationToken::new());
    publish_one(&pool, &state.nats_url, game, &shutdown).await;

    let tail = ["events", "tail", "--service", "game"];
    let shown = eventually(PATIENCE, || async {
        let lines = json_lines(&stakemate(&scene, &tail));
        (lines.len() == 1).then_some(lines)
    })
    .await;
    assert_eq!(shown[0]["event"], "GameStarted");
    assert_eq!(shown[0]["stream"], format!("game/{game}"));
    assert_eq!(shown[0]["actor"], "anna");
    assert_eq!(shown[0]["data"]["gameId"], game.to_string());

    let since = ["events", "republish", "--service", "game", "--since", "2026-01-01T00:00:00Z"];
    assert_eq!(json_lines(&stakemate(&scene, &since))[0]["republished"], 1);
    eventually(PATIENCE, || async { (json_lines(&stakemate(&scene, &tail)).len() == 2).then_some(()) }).await;

    shutdown.cancel();
    pool.close().await;
    assert_eq!(launcher.stop(), Some(0));
}

#[tokio::test]
async fn what_is_not_parked_and_a_stack_that_does_not_run_are_told_apart() {
    let scene = Scene::new();
    let list = ["dead-letters", "list", "--service", "game"];
    assert_eq!(stakemate(&scene, &list).status.code(), Some(3));

    let (launcher, _) = scene.start();
    let state = scene.state().expect("it runs");
    let pool = PgPool::connect(&state.services["game"].database_url).await.expect("a database");
    sqlx::raw_sql(AssertSqlSafe(event_bus::schema())).execute(&pool).await.expect("the tables");
    let listed = stakemate(&scene, &list);
    assert_eq!(listed.status.code(), Some(0));
    assert!(json_lines(&listed).is_empty());

    let stream = Uuid::now_v7().to_string();
    let letter = ["--service", "game", "--consumer", "game_matches", "--stream", &stream];
    let retry = stakemate(&scene, &[&["dead-letters", "retry"], &letter[..]].concat());
    assert_eq!(retry.status.code(), Some(1));
    let skip = stakemate(&scene, &[&["dead-letters", "skip"], &letter[..], &["--version", "1"]].concat());
    assert_eq!(skip.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&skip.stderr).contains("no such message is parked"));

    pool.close().await;
    assert_eq!(launcher.stop(), Some(0));
}
