//! Reading, the tables, and the stored bytes.

mod support;

use event_store::{
    GroupCommitConfig, LOAD_ROWS_MAX, Metadata, RecordedEvent, ScanPosition, StreamId, append_in, head, load,
    make_partitions, scan, schema,
};
use prost::Message as _;
use std::collections::HashSet;
use support::{
    PATIENCE, append, database, events_of, group_commit, marks, marks_of, new_stream, public_append,
};
use uuid::Uuid;

#[tokio::test]
async fn a_stream_is_read_in_pages() {
    let database = database("pages").await;
    let stream = new_stream();
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    for index in 0..13 {
        writers.append(append(stream, index * 100, 100)).await.expect("written");
    }
    let page = load(&database.pool, stream.id, 10, 5).await.expect("readable");
    assert_eq!(page.iter().map(|event| event.version).collect::<Vec<_>>(), [11, 12, 13, 14, 15]);
    let largest = load(&database.pool, stream.id, 0, usize::MAX).await.expect("readable");
    assert_eq!(largest.len(), LOAD_ROWS_MAX);
    assert_eq!(events_of(&database.pool, stream).await.len(), 1_300);
    assert_eq!(head(&database.pool, stream.id).await.expect("readable"), 1_300);
    assert_eq!(head(&database.pool, Uuid::now_v7()).await.expect("readable"), 0);
}

#[tokio::test]
async fn a_scan_brings_every_event_once_in_the_order_of_the_streams() {
    let database = database("scan").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    // Derived ids live in the default partition, the others in this month's.
    let mut streams: Vec<StreamId> = (0..9).map(|_| new_stream()).collect();
    streams.extend((0..9u128).map(|n| StreamId::new("match", Uuid::new_v5(&Uuid::nil(), &n.to_be_bytes()))));
    for (index, stream) in streams.iter().enumerate() {
        writers.append(append(*stream, 0, index + 1)).await.expect("written");
    }
    let mut seen = Vec::new();
    let mut position = ScanPosition::START;
    loop {
        let page = scan(&database.pool, position, 7).await.expect("readable");
        let Some(last) = page.last() else { break };
        position = ScanPosition::after(last);
        seen.extend(page.into_iter().map(|event| (event.stream_id, event.version)));
    }
    let mut wanted: Vec<_> = streams
        .iter()
        .enumerate()
        .flat_map(|(index, stream)| (1..=index as i64 + 1).map(|version| (stream.id, version)))
        .collect();
    wanted.sort();
    assert_eq!(seen, wanted);
}

#[tokio::test]
async fn the_schema_can_be_applied_again_and_by_several_at_once() {
    let database = test_kit::postgres().await.database("schema").await;
    let apply = || sqlx::raw_sql(schema()).execute(&database.pool);
    let outcomes = futures::future::join_all((0..6).map(|_| apply())).await;
    for outcome in outcomes {
        outcome.expect("applied");
    }
    apply().await.expect("applied again");
    assert_eq!(make_partitions(&database.pool).await.expect("checked"), 0);
}

#[tokio::test]
async fn a_stream_of_this_month_lies_in_its_partition_and_a_derived_id_in_the_default_one() {
    let database = database("partition").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let now = new_stream();
    let derived = StreamId::new("match", Uuid::new_v5(&Uuid::nil(), b"match"));
    for stream in [now, derived] {
        writers.append(append(stream, 0, 1)).await.expect("written");
    }
    assert_eq!(partition_of(&database.pool, derived).await, "events_default");
    let month: String =
        sqlx::query_scalar("select 'events_' || to_char(now() at time zone 'utc', 'YYYY_MM')")
            .fetch_one(&database.pool)
            .await
            .expect("a name");
    assert_eq!(partition_of(&database.pool, now).await, month);
}

#[tokio::test]
async fn rows_that_came_before_their_partition_move_into_it() {
    let database = database("moved").await;
    let (early, early_id): (String, Uuid) = sqlx::query_as(
        "select 'events_' || to_char(now() at time zone 'utc' + interval '5 months', 'YYYY_MM'),
                event_store_uuid_floor(date_trunc('month', now() at time zone 'utc' + interval '5 months')
                                       at time zone 'utc')",
    )
    .fetch_one(&database.pool)
    .await
    .expect("a month ahead");
    let stream = StreamId::new("game", early_id);
    let mut conn = database.pool.acquire().await.expect("a connection");
    append_in(&mut conn, &append(stream, 0, 3)).await.expect("written");
    assert_eq!(partition_of(&database.pool, stream).await, "events_default");
    let made: i32 = sqlx::query_scalar("select event_store_make_partitions(6)")
        .fetch_one(&database.pool)
        .await
        .expect("made");
    assert_eq!(made, 3);
    assert_eq!(partition_of(&database.pool, stream).await, early);
    append_in(&mut conn, &append(stream, 3, 1)).await.expect("written");
    assert_eq!(events_of(&database.pool, stream).await.len(), 4);
}

async fn partition_of(pool: &sqlx::PgPool, stream: StreamId) -> String {
    sqlx::query_scalar("select tableoid::regclass::text from events where stream_id = $1 limit 1")
        .bind(stream.id)
        .fetch_one(pool)
        .await
        .expect("a row")
}

// STORE-10
#[tokio::test]
async fn an_event_without_an_id_is_called_by_its_place() {
    let database = database("nameless").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let (stream, other) = (new_stream(), new_stream());
    for stream in [stream, other] {
        writers.append(public_append(stream, 0, 1)).await.expect("written");
        writers.append(append(stream, 1, 2)).await.expect("written");
    }
    let events = events_of(&database.pool, stream).await;
    assert_eq!(events[0].event_id, Some(events[0].id()));
    assert_eq!((events[1].event_id, events[2].event_id), (None, None));
    let again = events_of(&database.pool, stream).await;
    assert!(again.iter().zip(&events).all(|(again, event)| again.id() == event.id()));
    let others = events_of(&database.pool, other).await;
    let ids: HashSet<Uuid> = events.iter().chain(&others).map(RecordedEvent::id).collect();
    assert_eq!(ids.len(), 6);
    assert_eq!(Metadata::caused_by(&events[2], "test").causation_id, events[2].id());
}

// STORE-10
#[tokio::test]
async fn a_log_from_when_every_event_had_an_id_takes_events_without_and_keeps_the_old_ones() {
    // Given the log of before.
    let database = database("before").await;
    let pool = &database.pool;
    sqlx::raw_sql("alter table events alter column event_id set not null")
        .execute(pool)
        .await
        .expect("as before");
    let writers = group_commit(pool, GroupCommitConfig::default());
    let stream = new_stream();
    let mut old = append(stream, 0, 1);
    old.events[0].event_id = Some(Uuid::now_v7());
    writers.append(old.clone()).await.expect("written");
    writers.append(append(stream, 1, 1)).await.expect_err("needs an id");
    // When the tables are brought up to date, twice.
    for _ in 0..2 {
        sqlx::raw_sql(schema()).execute(pool).await.expect("brought up to date");
    }
    // Then both stand in the log, whatever the partition.
    let new = append(stream, 1, 1);
    writers.append(new.clone()).await.expect("written");
    assert_eq!(marks_of(pool, stream).await, [marks(&old), marks(&new)].concat());
    let derived = StreamId::new("match", Uuid::new_v5(&Uuid::nil(), b"default"));
    writers.append(append(derived, 0, 1)).await.expect("written");
}

// Only a log of before is locked: a pod that starts must not wait for a long read, and hold up everybody behind it.
#[tokio::test]
async fn a_start_does_not_wait_for_who_reads_a_log_that_is_up_to_date() {
    let database = database("start").await;
    let mut tx = database.pool.begin().await.expect("a transaction");
    load(&mut *tx, Uuid::now_v7(), 0, 1).await.expect("readable");
    let starting = sqlx::raw_sql(schema()).execute(&database.pool);
    tokio::time::timeout(PATIENCE, starting).await.expect("without waiting").expect("applied");
    tx.commit().await.expect("committed");
}

// The goal of the log's size: a move with its metadata and index entry, of many games that are played at once. The goal itself is 220 bytes,
// of games that are not played in step, which fill the pages of the index less.
#[tokio::test]
async fn a_move_costs_few_bytes_of_log() {
    const GAMES: usize = 500;
    const MOVES: i64 = 60;
    let database = database("bytes").await;
    let writers = group_commit(&database.pool, GroupCommitConfig::default());
    let games: Vec<StreamId> = (0..GAMES).map(|_| new_stream()).collect();
    for played in 0..MOVES {
        let moves = games.iter().map(|game| {
            let mut played = append(*game, played, 1);
            played.metadata.actor = "w".to_owned();
            // As many as the moves of real games take.
            played.events[0].data = vec![7; 36];
            writers.append(played)
        });
        for written in futures::future::join_all(moves).await {
            written.expect("written");
        }
    }
    let bytes: i64 = sqlx::query_scalar(
        "select sum(pg_total_relation_size(relid))::bigint from pg_partition_tree('events') where isleaf
           and pg_relation_size(relid) > 0",
    )
    .fetch_one(&database.pool)
    .await
    .expect("a size");
    let bytes_per_move = bytes / (GAMES as i64 * MOVES);
    assert!(bytes_per_move <= 200, "{bytes_per_move} bytes a move");
}

#[test]
fn metadata_keeps_its_stored_bytes() {
    let first = Metadata {
        correlation_id: Uuid::from_u128(0x0102),
        causation_id: Uuid::from_u128(0x0102),
        actor: "game".into(),
        trace_parent: None,
    };
    // Golden bytes: field 1 with the sixteen bytes of the id, field 3 with the actor.
    let golden = [&[0x0a, 0x10][..], Uuid::from_u128(0x0102).as_bytes(), &[0x1a, 0x04], b"game"].concat();
    assert_eq!(first.to_bytes(), golden);
    let later = Metadata {
        causation_id: Uuid::from_u128(7),
        trace_parent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
        ..first.clone()
    };
    let player = Metadata { actor: Uuid::from_u128(0x0304).to_string(), ..first.clone() };
    let golden = [&[0x0a, 0x10][..], Uuid::from_u128(0x0102).as_bytes(), &[0x2a, 0x10]].concat();
    assert_eq!(player.to_bytes(), [&golden[..], Uuid::from_u128(0x0304).as_bytes()].concat());
    let shouting = Metadata { actor: Uuid::from_u128(0xabcd).to_string().to_uppercase(), ..first.clone() };
    for metadata in [first, later, player, shouting] {
        assert_eq!(Metadata::from_bytes(&metadata.to_bytes()).expect("readable"), metadata);
    }
    assert!(Metadata::from_bytes(&[0x0a, 0x03, 1, 2, 3]).is_err());
    assert!(Metadata::from_bytes(&[0xff]).is_err());
}

#[test]
fn metadata_is_the_message_of_the_proto_package() {
    let metadata = Metadata {
        correlation_id: Uuid::from_u128(1),
        causation_id: Uuid::from_u128(2),
        actor: "wallet".into(),
        trace_parent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
    };
    let message = proto::types::v1::EventMetadata::decode(metadata.to_bytes().as_slice()).expect("readable");
    assert_eq!(message.correlation_id, metadata.correlation_id.as_bytes());
    assert_eq!(message.causation_id, metadata.causation_id.as_bytes());
    assert_eq!((message.actor, Some(message.trace_parent)), (metadata.actor, metadata.trace_parent));
}
