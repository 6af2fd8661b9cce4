//! From the outbox to the broker.

mod support;

use async_nats::jetstream::stream::Config;
use event_bus::{StreamError, check_config, ensure_stream, republish, stream_name};
use event_store::{StreamId, append_in};
use std::time::Duration;
use support::{PATIENCE, Recorder, Service, new_stream, public_append};
use test_kit::{Durability, eventually};
use time::OffsetDateTime;
use uuid::Uuid;

// BUS-1, BUS-2
#[tokio::test(flavor = "multi_thread")]
async fn committed_public_events_are_published_in_the_order_of_each_stream() {
    let service = Service::new("order").await;
    let streams: Vec<StreamId> = (0..20).map(|_| new_stream()).collect();
    for expected in 0..10 {
        for stream in &streams {
            service.commit(*stream, expected, &["MovePlayed"]).await;
        }
    }
    service.start_relay();
    service.until_all_is_published().await;
    assert_eq!(service.stored().await, 200);
    let stream = service.bus.jetstream().get_stream(stream_name(service.name)).await.expect("a stream");
    let mut last = std::collections::HashMap::new();
    for sequence in 1..=200 {
        let message = stream.get_raw_message(sequence).await.expect("a message");
        let header = |name| message.headers.get(name).expect("a header").as_str().to_owned();
        let version: i64 = header("Stakemate-Version").parse().expect("a number");
        let previous = last.insert(message.subject.to_string(), version).unwrap_or(0);
        assert_eq!(version, previous + 1, "{}", message.subject);
        assert_eq!(header("Stakemate-Follows"), previous.to_string());
        assert_eq!(header("Nats-Msg-Id"), header("Stakemate-Event-Id"));
    }
}

// G01, G09: the answer is lost, the message is not; each retry is told "duplicate", and that is success.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_whose_first_try_was_stored_counts_as_sent() {
    let service = Service::new("g01").await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let stream = new_stream();
    service.commit(stream, 0, &["GameEnded"]).await;
    service.until_all_is_published().await;
    for _ in 0..5 {
        sqlx::query("update outbox set published_at = null").execute(service.pool()).await.expect("updated");
        service.until_all_is_published().await;
    }
    assert_eq!(service.stored().await, 1);
    service.until_effects_on(stream, &[1]).await;
    assert_eq!(service.letters().await, []);
}

// G02: the broker has forgotten the id and stores the event twice. It takes effect once.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_stored_twice_takes_effect_once() {
    let service = Service::new("g02").await;
    service.start_relay();
    let stream = new_stream();
    service.commit(stream, 0, &["GameEnded"]).await;
    service.until_all_is_published().await;
    let jetstream = service.bus.jetstream();
    let info = jetstream.get_stream(stream_name(service.name)).await.expect("a stream").cached_info().clone();
    let forgetful = Config { duplicate_window: Duration::from_millis(100), ..info.config };
    jetstream.update_stream(forgetful).await.expect("updated");
    eventually(PATIENCE, || async {
        sqlx::query("update outbox set published_at = null").execute(service.pool()).await.expect("updated");
        service.until_all_is_published().await;
        let mut stream = jetstream.get_stream(stream_name(service.name)).await.expect("a stream");
        (stream.info().await.expect("info").state.messages > 1).then_some(())
    })
    .await;
    let recorder = Recorder::default();
    service.start_consumer(service.config(), recorder.clone());
    service.commit(stream, 1, &["RematchOffered"]).await;
    service.until_effects_on(stream, &[1, 2]).await;
    assert_eq!(recorder.total_tries(), 2);
}

// G12: a number drawn before the commit must not make a late one invisible.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_commits_late_is_not_passed_over() {
    let service = Service::new("g12").await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let (late, early) = (new_stream(), new_stream());
    let mut tx = service.pool().begin().await.expect("a transaction");
    append_in(&mut tx, &public_append(late, 0, &["GameEnded"])).await.expect("written");
    service.commit(early, 0, &["GameEnded"]).await;
    service.until_effects_on(early, &[1]).await;
    assert!(service.effects_on(late).await.is_empty());
    tx.commit().await.expect("committed");
    service.until_effects_on(late, &[1]).await;
    let in_order: Vec<Uuid> = sqlx::query_scalar("select stream_id from outbox order by position")
        .fetch_all(service.pool())
        .await
        .expect("readable");
    assert_eq!(in_order, [late.id, early.id], "the late one has the lower number");
}

// G14
#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_streams_made_at_once_all_arrive() {
    let service = Service::new("g14").await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let streams: Vec<StreamId> = (0..100).map(|_| new_stream()).collect();
    futures::future::join_all(streams.iter().map(|stream| service.commit(*stream, 0, &["GameStarted"])))
        .await;
    service.until_effects(100).await;
    let (rows, positions): (i64, i64) =
        sqlx::query_as("select count(*), count(distinct position) from outbox")
            .fetch_one(service.pool())
            .await
            .expect("counted");
    assert_eq!((rows, positions), (100, 100));
    let mut arrived: Vec<Uuid> =
        service.effects("wallet_settlement").await.into_iter().map(|(id, _)| id).collect();
    arrived.sort();
    let mut wanted: Vec<Uuid> = streams.iter().map(|stream| stream.id).collect();
    wanted.sort();
    assert_eq!(arrived, wanted);
}

// G17, BUS-8
#[tokio::test(flavor = "multi_thread")]
async fn while_the_broker_is_down_events_stay_pending_and_go_out_when_it_is_back() {
    let mut nats = test_kit::own_nats().await;
    let database = test_kit::postgres().await.database("g17").await;
    let service = Service::on(database, &nats.url()).await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted"]).await;
    service.until_effects_on(stream, &[1]).await;
    nats.stop();
    eventually(PATIENCE, || async { (!service.bus.is_connected()).then_some(()) }).await;
    service.commit(stream, 1, &["GameEnded"]).await;
    assert_eq!(service.unpublished().await, 1);
    nats.start().expect("started again");
    service.until_effects_on(stream, &[1, 2]).await;
    service.until_all_is_published().await;
}

// BUS-8: an empty broker gets its stream back, and what it had by a republication.
#[tokio::test(flavor = "multi_thread")]
async fn an_emptied_broker_is_filled_again_and_nothing_takes_effect_twice() {
    let mut nats = test_kit::own_nats().await;
    let database = test_kit::postgres().await.database("emptied").await;
    let service = Service::on(database, &nats.url()).await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let started = OffsetDateTime::now_utc() - Duration::from_secs(60);
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted", "GameEnded"]).await;
    service.until_effects_on(stream, &[1, 2]).await;
    nats.stop_and_empty().expect("emptied");
    nats.start().expect("started again");
    service.commit(stream, 2, &["RematchOffered"]).await;
    service.until_effects_on(stream, &[1, 2, 3]).await;
    let newcomer = Recorder { consumer: "rating_results", ..Recorder::default() };
    let config = event_bus::ConsumerConfig { name: "rating_results", ..service.config() };
    service.start_consumer(config, newcomer);
    assert_eq!(republish(service.pool(), started).await.expect("put back"), 3);
    eventually(PATIENCE, || async {
        let versions = service.effects("rating_results").await.into_iter().map(|(_, version)| version);
        versions.eq([1, 2, 3]).then_some(())
    })
    .await;
    assert_eq!(service.effects_on(stream).await, [1, 2, 3]);
}

// The broker still holds the messages: it must store the republished ones all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_republication_is_not_swallowed_as_a_duplicate() {
    let service = Service::new("republish").await;
    service.start_relay();
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted", "GameEnded"]).await;
    service.until_all_is_published().await;
    let later = OffsetDateTime::now_utc() + Duration::from_secs(3_600);
    assert_eq!(republish(service.pool(), later).await.expect("asked"), 0);
    let since = OffsetDateTime::now_utc() - Duration::from_secs(3_600);
    assert_eq!(republish(service.pool(), since).await.expect("put back"), 2);
    service.signal.committed();
    eventually(PATIENCE, || async { (service.stored().await == 4).then_some(()) }).await;
}

// BUS-8
#[tokio::test(flavor = "multi_thread")]
async fn relay_and_consumer_outlive_a_crash_of_the_database() {
    let mut postgres = test_kit::own_postgres(Durability::Durable).await;
    let database = postgres.database("dbcrash").await;
    let service = Service::on(database, &test_kit::nats().await.url()).await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted"]).await;
    service.until_effects_on(stream, &[1]).await;
    postgres.crash();
    postgres.start().expect("started again");
    let alive = || async { sqlx::query("select 1").execute(service.pool()).await.ok() };
    eventually(PATIENCE, alive).await;
    service.commit(stream, 1, &["GameEnded"]).await;
    service.until_effects_on(stream, &[1, 2]).await;
    assert_eq!(service.letters().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_relay_leads_and_another_takes_over_when_it_stops_or_loses_its_connection() {
    let service = Service::new("leader").await;
    let first = service.start_relay();
    let leader = leader(&service).await;
    service.start_relay();
    service.commit(new_stream(), 0, &["GameStarted"]).await;
    service.until_all_is_published().await;
    first.cancel();
    let second = eventually(PATIENCE, || async {
        let now = leader_now(&service).await;
        now.filter(|pid| *pid != leader)
    })
    .await;
    service.commit(new_stream(), 0, &["GameStarted"]).await;
    service.until_all_is_published().await;
    sqlx::query("select pg_terminate_backend($1)")
        .bind(second)
        .execute(service.pool())
        .await
        .expect("killed");
    service.commit(new_stream(), 0, &["GameStarted"]).await;
    service.until_all_is_published().await;
    assert_eq!(service.stored().await, 3);
}

/// The backend that holds the relay's lock, as the only one.
async fn leader_now(service: &Service) -> Option<i32> {
    let pids: Vec<i32> = sqlx::query_scalar(
        "select pid from pg_locks where locktype = 'advisory' and granted
           and database = (select oid from pg_database where datname = current_database())",
    )
    .fetch_all(service.pool())
    .await
    .expect("readable");
    assert!(pids.len() <= 1, "{pids:?} lead at once");
    pids.first().copied()
}

async fn leader(service: &Service) -> i32 {
    eventually(PATIENCE, || leader_now(service)).await
}

// G19: a stream that trims what nobody has seen is put right, and refused where it cannot be.
#[tokio::test]
async fn a_stream_that_trims_by_subject_is_put_right() {
    let service = Service::new("g19").await;
    let jetstream = service.bus.jetstream();
    let trimming = Config {
        name: stream_name(service.name),
        subjects: vec![format!("evt.{}.>", service.name)],
        max_messages_per_subject: 5,
        ..Config::default()
    };
    jetstream.create_stream(trimming).await.expect("created");
    ensure_stream(&service.bus, service.name).await.expect("put right");
    let stream = jetstream.get_stream(stream_name(service.name)).await.expect("a stream");
    let config = &stream.cached_info().config;
    assert!(
        config.max_messages_per_subject <= 0 && config.max_messages <= 0 && config.max_bytes <= 0,
        "{config:?}"
    );
    assert_eq!(config.duplicate_window, event_bus::DUPLICATE_WINDOW);
    ensure_stream(&service.bus, service.name).await.expect("as it is wanted already");
}

// G19
#[test]
fn unsafe_stream_configurations_are_refused() {
    use async_nats::jetstream::stream::{RetentionPolicy, StorageType};
    let safe =
        Config { name: "EVENTS_GAME".into(), max_age: event_bus::STREAM_RETENTION, ..Config::default() };
    check_config(&safe).expect("safe");
    let unsafe_ones = [
        Config { max_messages_per_subject: 5, ..safe.clone() },
        Config { max_messages: 1_000_000, ..safe.clone() },
        Config { max_bytes: 1 << 30, ..safe.clone() },
        Config { retention: RetentionPolicy::WorkQueue, ..safe.clone() },
        Config { retention: RetentionPolicy::Interest, ..safe.clone() },
        Config { storage: StorageType::Memory, ..safe.clone() },
        Config { no_ack: true, ..safe.clone() },
        Config { max_age: Duration::from_secs(60), ..safe },
    ];
    for config in unsafe_ones {
        assert!(matches!(check_config(&config), Err(StreamError::Unsafe { .. })), "{config:?}");
    }
}
