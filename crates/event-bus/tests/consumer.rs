//! From the broker into the inbox.

mod support;

use event_bus::{ConsumerConfig, stream_name};
use futures::StreamExt as _;
use std::time::{Duration, Instant};
use support::{PATIENCE, Recorder, Service, new_stream};
use test_kit::eventually;
use uuid::Uuid;

async fn event_id_of(service: &Service, stream: event_store::StreamId, version: i64) -> Uuid {
    sqlx::query_scalar("select event_id from events where stream_id = $1 and version = $2")
        .bind(stream.id)
        .bind(version)
        .fetch_one(service.pool())
        .await
        .expect("an event")
}

/// A consumer as the broker knows it, once it is there.
async fn broker_consumer(service: &Service) -> async_nats::jetstream::consumer::PullConsumer {
    eventually(PATIENCE, || async {
        let stream = service.bus.jetstream().get_stream(stream_name(service.name)).await.ok()?;
        stream.get_consumer("wallet_settlement").await.ok()
    })
    .await
}

// BUS-3, BUS-4
#[tokio::test(flavor = "multi_thread")]
async fn events_take_effect_once_and_in_order_and_the_handler_hears_of_each_commit() {
    let service = Service::new("once").await;
    service.start_relay();
    let recorder = Recorder::default();
    service.start_consumer(service.config(), recorder.clone());
    let streams: Vec<_> = (0..10).map(|_| new_stream()).collect();
    for expected in [0, 3] {
        for stream in &streams {
            service.commit(*stream, expected, &["GameStarted", "MovePlayed", "GameEnded"]).await;
        }
    }
    service.until_effects(60).await;
    for stream in &streams {
        assert_eq!(service.effects_on(*stream).await, [1, 2, 3, 4, 5, 6]);
    }
    let all_told =
        || async { (recorder.committed.load(std::sync::atomic::Ordering::SeqCst) == 60).then_some(()) };
    eventually(PATIENCE, all_told).await;
    let nothing_pending = || async {
        let info = broker_consumer(&service).await.get_info().await.expect("info");
        (info.num_ack_pending == 0 && info.num_pending == 0).then_some(())
    };
    eventually(PATIENCE, nothing_pending).await;
}

// BUS-3: effects of a failed try are undone.
#[tokio::test(flavor = "multi_thread")]
async fn a_transient_failure_is_tried_again_and_leaves_one_effect() {
    let service = Service::new("flaky").await;
    service.start_relay();
    let recorder = Recorder::default();
    service.start_consumer(service.config(), recorder.clone());
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted", "Flaky", "GameEnded"]).await;
    service.until_effects_on(stream, &[1, 2, 3]).await;
    assert_eq!(recorder.tries_of(event_id_of(&service, stream, 2).await), 3);
}

// G04: work that takes longer than ack_wait keeps asking for time and is not delivered again.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_slower_than_the_acknowledgement_is_not_run_twice() {
    let service = Service::new("g04").await;
    service.start_relay();
    let recorder = Recorder { slow_time: Duration::from_secs(3), ..Recorder::default() };
    let config = ConsumerConfig { ack_wait: Duration::from_secs(1), lanes: 1, ..service.config() };
    service.start_consumer(config, recorder.clone());
    let (slow, queued) = (new_stream(), new_stream());
    service.commit(slow, 0, &["Slow"]).await;
    service.commit(queued, 0, &["GameEnded"]).await;
    service.until_effects_on(slow, &[1]).await;
    service.until_effects_on(queued, &[1]).await;
    let acknowledged = eventually(PATIENCE, || async {
        let info = broker_consumer(&service).await.get_info().await.expect("info");
        (info.num_ack_pending == 0).then_some(info)
    })
    .await;
    assert_eq!(recorder.total_tries(), 2);
    assert_eq!(acknowledged.delivered.consumer_sequence, 2, "nothing was delivered twice");
}

// G04, G11: a worker that took a message and died. Its message goes to the living one within ack_wait, and the late
// acknowledgement of the dead one changes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn the_message_of_a_dead_worker_is_taken_up_within_ack_wait() {
    let service = Service::new("g11").await;
    service.start_relay();
    let ack_wait = Duration::from_secs(2);
    let config = ConsumerConfig { ack_wait, ..service.config() };
    // Makes the durable consumer, then leaves.
    let (stop, first) = service.start_consumer(config.clone(), Recorder::default());
    let dead = broker_consumer(&service).await;
    stop.cancel();
    first.await.expect("stopped");
    let stream = new_stream();
    service.commit(stream, 0, &["GameEnded"]).await;
    service.until_all_is_published().await;
    let mut batch = dead.fetch().max_messages(1).expires(PATIENCE).messages().await.expect("a batch");
    let held = batch.next().await.expect("a message").expect("delivered");
    let taken = Instant::now();
    service.start_consumer(config, Recorder::default());
    service.until_effects_on(stream, &[1]).await;
    let waited = taken.elapsed();
    assert!(waited < ack_wait + Duration::from_secs(10), "{waited:?}");
    held.ack().await.expect("sent");
    service.commit(stream, 1, &["RematchOffered"]).await;
    service.until_effects_on(stream, &[1, 2]).await;
    assert!(ConsumerConfig::new("a_b", "game", "game").ack_wait <= Duration::from_secs(30));
}

// G06: two poison messages fill what may be in flight; the good ones go on.
#[tokio::test(flavor = "multi_thread")]
async fn poison_does_not_hold_up_other_streams() {
    for kind in ["Broken", "Flaky"] {
        let service = Service::new("g06").await;
        let poison = [new_stream(), new_stream()];
        let good: Vec<_> = (0..20).map(|_| new_stream()).collect();
        for stream in poison {
            service.commit(stream, 0, &[kind]).await;
        }
        for stream in &good {
            service.commit(*stream, 0, &["GameEnded"]).await;
        }
        service.start_relay();
        service.until_all_is_published().await;
        let config = ConsumerConfig { in_flight_max: 2, attempts_max: 4, ..service.config() };
        let recorder = Recorder { flaky_failures: u32::MAX, ..Recorder::default() };
        let started = Instant::now();
        service.start_consumer(config, recorder.clone());
        service.until_effects(20).await;
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
        let letters = service.letters().await;
        assert_eq!(letters.len(), 2);
        assert!(
            letters.iter().all(|(id, _, reason)| reason == "fault" && poison.iter().any(|p| p.id == *id))
        );
        let tries = recorder.tries_of(event_id_of(&service, poison[0], 1).await);
        assert_eq!(tries, if kind == "Broken" { 1 } else { 4 });
    }
}

// BUS-7
#[tokio::test(flavor = "multi_thread")]
async fn that_the_database_is_away_never_parks_a_message() {
    let service = Service::new("away").await;
    service.start_relay();
    let config = ConsumerConfig { attempts_max: 2, ..service.config() };
    let recorder = Recorder { flaky_failures: 6, ..Recorder::default() };
    service.start_consumer(config, recorder.clone());
    let stream = new_stream();
    service.commit(stream, 0, &["Away"]).await;
    service.until_effects_on(stream, &[1]).await;
    assert_eq!(recorder.total_tries(), 7);
    assert_eq!(service.letters().await, []);
}

// BUS-9
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_does_not_end_is_given_up_and_its_effects_are_undone() {
    let service = Service::new("endless").await;
    service.start_relay();
    let recorder = Recorder { slow_time: Duration::from_secs(3_600), ..Recorder::default() };
    let config = ConsumerConfig {
        handle_time_max: Duration::from_millis(200),
        attempts_max: 2,
        lanes: 1,
        ..service.config()
    };
    service.start_consumer(config, recorder.clone());
    let (endless, other) = (new_stream(), new_stream());
    service.commit(endless, 0, &["Slow"]).await;
    service.commit(other, 0, &["GameEnded"]).await;
    service.until_letters(&[(endless.id, 1, "fault")]).await;
    service.until_effects_on(other, &[1]).await;
    assert!(service.effects_on(endless).await.is_empty());
    assert_eq!(recorder.total_tries(), 3);
}

// G07, BUS-8
#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_that_vanished_is_made_anew_and_nothing_is_lost_or_doubled() {
    let service = Service::new("vanished").await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted"]).await;
    service.until_effects_on(stream, &[1]).await;
    let jetstream = service.bus.jetstream();
    let broker_stream = jetstream.get_stream(stream_name(service.name)).await.expect("a stream");
    broker_stream.delete_consumer("wallet_settlement").await.expect("deleted");
    service.commit(stream, 1, &["MovePlayed"]).await;
    service.until_effects_on(stream, &[1, 2]).await;
    jetstream.delete_stream(stream_name(service.name)).await.expect("deleted");
    service.commit(stream, 2, &["GameEnded"]).await;
    service.until_effects_on(stream, &[1, 2, 3]).await;
}

// G07: the consumer stands still without any error. The broker can be told to do just that.
#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_that_stands_still_is_made_anew_by_the_watchdog() {
    let service = Service::new("stall").await;
    service.start_relay();
    let config = ConsumerConfig { stall_after: Duration::from_millis(600), ..service.config() };
    service.start_consumer(config, Recorder::default());
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted"]).await;
    service.until_effects_on(stream, &[1]).await;
    let subject = format!("$JS.API.CONSUMER.PAUSE.{}.wallet_settlement", stream_name(service.name));
    let pause = r#"{"pause_until":"2099-01-01T00:00:00Z"}"#;
    let answer = service.bus.client().request(subject, pause.into()).await.expect("an answer");
    assert!(String::from_utf8_lossy(&answer.payload).contains(r#""paused":true"#), "{answer:?}");
    for expected in 1..30 {
        service.commit(stream, expected, &["MovePlayed"]).await;
    }
    service.until_effects_on(stream, &(1..=30).collect::<Vec<_>>()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_a_consumer_and_each_event_takes_effect_once() {
    let service = Service::new("shared").await;
    service.start_relay();
    let recorders = [Recorder::default(), Recorder::default()];
    for recorder in &recorders {
        service.start_consumer(ConsumerConfig { in_flight_max: 4, ..service.config() }, recorder.clone());
    }
    let streams: Vec<_> = (0..30).map(|_| new_stream()).collect();
    for expected in 0..5 {
        for stream in &streams {
            service.commit(*stream, expected, &["MovePlayed"]).await;
        }
    }
    service.until_effects(150).await;
    for stream in &streams {
        assert_eq!(service.effects_on(*stream).await, [1, 2, 3, 4, 5]);
    }
    eventually(PATIENCE, || async { service.letters().await.is_empty().then_some(()) }).await;
    assert!(recorders.iter().all(|recorder| recorder.total_tries() > 0), "both have worked");
}

// BUS-3: two copies of one message, handled by two processes at the same moment. The second commit is refused and what
// its handler did is undone.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_that_handle_one_message_at_once_leave_one_effect() {
    let service = Service::new("twins").await;
    service.start_relay();
    let recorder = Recorder { slow_time: Duration::from_millis(1_500), ..Recorder::default() };
    for _ in 0..2 {
        service.start_consumer(ConsumerConfig { lanes: 20, ..service.config() }, recorder.clone());
    }
    // The broker serves the two in turn: with an odd number, each copy goes to the other one.
    let streams: Vec<_> = (0..11).map(|_| new_stream()).collect();
    for stream in &streams {
        service.commit(*stream, 0, &["Slow"]).await;
    }
    service.until_all_is_published().await;
    let since = time::OffsetDateTime::now_utc() - Duration::from_secs(3_600);
    assert_eq!(event_bus::republish(service.pool(), since).await.expect("put back"), 11);
    let nothing_pending = || async {
        let info = broker_consumer(&service).await.get_info().await.expect("info");
        (info.delivered.stream_sequence == 22 && info.num_ack_pending == 0).then_some(())
    };
    eventually(PATIENCE, nothing_pending).await;
    for stream in &streams {
        assert_eq!(service.effects_on(*stream).await, [1]);
    }
    assert!(recorder.total_tries() > 11, "none was handled by both");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_message_is_dropped_and_the_next_one_is_handled() {
    let service = Service::new("foreign").await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    broker_consumer(&service).await;
    for subject in [format!("evt.{}.game.nonsense", service.name), format!("evt.{}.game.a.b.c", service.name)]
    {
        let answer = service.bus.jetstream().publish(subject, "x".into()).await.expect("sent");
        answer.await.expect("stored");
    }
    let stream = new_stream();
    service.commit(stream, 0, &["GameEnded"]).await;
    service.until_effects_on(stream, &[1]).await;
    let nothing_pending = || async {
        let info = broker_consumer(&service).await.get_info().await.expect("info");
        (info.num_ack_pending == 0 && info.num_pending == 0).then_some(())
    };
    eventually(PATIENCE, nothing_pending).await;
}

// BUS-5: a stop gives back what was not handled, so that the next process need not wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_gives_back_what_was_not_handled() {
    let service = Service::new("stop").await;
    service.start_relay();
    let config = ConsumerConfig { ack_wait: Duration::from_secs(600), lanes: 1, ..service.config() };
    let slow = Recorder { slow_time: Duration::from_secs(1), ..Recorder::default() };
    let (stop, running) = service.start_consumer(config.clone(), slow.clone());
    let streams: Vec<_> = (0..10).map(|_| new_stream()).collect();
    for stream in &streams {
        service.commit(*stream, 0, &["Slow"]).await;
    }
    let delivered = || async {
        let info = broker_consumer(&service).await.get_info().await.expect("info");
        (info.num_ack_pending > 1 && slow.total_tries() > 0).then_some(())
    };
    eventually(PATIENCE, delivered).await;
    stop.cancel();
    running.await.expect("stopped");
    let left = service.effects("wallet_settlement").await.len();
    assert!(left < 10, "it was stopped in the middle");
    let quick = Recorder { slow_time: Duration::ZERO, ..Recorder::default() };
    service.start_consumer(config, quick);
    service.until_effects(10).await;
}
