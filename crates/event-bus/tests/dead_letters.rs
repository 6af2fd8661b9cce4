//! What is parked, and how it gets going again.

mod support;

use event_bus::ConsumerConfig;
use event_bus::dead_letters::{self, LetterPlace, Reason, SkipError};
use event_store::{StreamId, Version};
use support::{Recorder, Service, new_stream};
use uuid::Uuid;

const CONSUMER: &str = "wallet_settlement";

fn place(stream: StreamId, version: Version) -> LetterPlace {
    LetterPlace { consumer: CONSUMER.into(), stream_id: stream.id, version }
}

/// A service whose stream has a broken second event and two good ones behind it; another stream goes on.
async fn with_a_broken_event(hint: &str) -> (Service, Recorder, StreamId) {
    let service = Service::new(hint).await;
    service.start_relay();
    let recorder = Recorder::default();
    service.start_consumer(service.config(), recorder.clone());
    let (broken, good) = (new_stream(), new_stream());
    service.commit(broken, 0, &["GameStarted", "Broken", "GameEnded", "RematchOffered"]).await;
    service.commit(good, 0, &["GameStarted", "GameEnded"]).await;
    service.until_effects_on(good, &[1, 2]).await;
    service
        .until_letters(&[(broken.id, 2, "fault"), (broken.id, 3, "behind"), (broken.id, 4, "behind")])
        .await;
    assert_eq!(service.effects_on(broken).await, [1]);
    (service, recorder, broken)
}

// BUS-6
#[tokio::test(flavor = "multi_thread")]
async fn a_permanent_fault_parks_its_stream_and_a_retry_brings_all_of_it_in_order() {
    let (service, recorder, stream) = with_a_broken_event("retry").await;
    let letters = dead_letters::list(service.pool(), Some(CONSUMER), None, 100).await.expect("a page");
    assert_eq!(letters.len(), 3);
    assert_eq!((letters[0].reason, letters[0].attempts), (Reason::Fault, 1));
    assert!(letters[0].error.contains("broken as asked"), "{}", letters[0].error);
    assert!(letters[0].subject.ends_with(".Broken"), "{}", letters[0].subject);
    recorder.repair();
    assert!(dead_letters::retry(service.pool(), CONSUMER, stream.id).await.expect("asked"));
    service.until_effects_on(stream, &[1, 2, 3, 4]).await;
    service.until_letters(&[]).await;
    service.commit(stream, 4, &["RematchAccepted"]).await;
    service.until_effects_on(stream, &[1, 2, 3, 4, 5]).await;
}

// BUS-6
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_that_fails_again_stays_parked_with_its_new_error() {
    let (service, recorder, stream) = with_a_broken_event("again").await;
    assert!(dead_letters::retry(service.pool(), CONSUMER, stream.id).await.expect("asked"));
    test_kit::eventually(support::PATIENCE, || async {
        let letters = dead_letters::list(service.pool(), Some(CONSUMER), None, 1).await.expect("a page");
        (!letters[0].retry_requested).then_some(())
    })
    .await;
    assert_eq!(recorder.total_tries(), 5, "two good ones of each stream's start, and the broken one twice");
    assert_eq!(service.effects_on(stream).await, [1]);
    assert_eq!(service.letters().await.len(), 3);
    assert!(!dead_letters::retry(service.pool(), CONSUMER, Uuid::now_v7()).await.expect("asked"));
}

// BUS-6
#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_message_leaves_no_effect_and_those_behind_it_follow() {
    let (service, _, stream) = with_a_broken_event("skip").await;
    let too_early = dead_letters::skip(service.pool(), &place(stream, 3)).await;
    assert!(matches!(too_early, Err(SkipError::NotFirst { first: 2 })), "{too_early:?}");
    let handled = dead_letters::skip(service.pool(), &place(stream, 1)).await;
    assert!(matches!(handled, Err(SkipError::NotParked)), "{handled:?}");
    dead_letters::skip(service.pool(), &place(stream, 2)).await.expect("skipped");
    service.until_effects_on(stream, &[1, 3, 4]).await;
    service.until_letters(&[]).await;
    let again = dead_letters::skip(service.pool(), &place(stream, 2)).await;
    assert!(matches!(again, Err(SkipError::NotParked)), "{again:?}");
}

// BUS-6: the first event of a stream, for which there is no inbox row yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_whose_first_event_is_broken_can_be_skipped_on() {
    let service = Service::new("first").await;
    service.start_relay();
    service.start_consumer(service.config(), Recorder::default());
    let stream = new_stream();
    service.commit(stream, 0, &["Broken", "GameEnded"]).await;
    service.until_letters(&[(stream.id, 1, "fault"), (stream.id, 2, "behind")]).await;
    dead_letters::skip(service.pool(), &place(stream, 1)).await.expect("skipped");
    service.until_effects_on(stream, &[2]).await;
}

// BUS-4: an event that the broker never had. Those behind it wait in the database, not at the broker, and all of them are
// handled in order once it has come.
#[tokio::test(flavor = "multi_thread")]
async fn events_ahead_of_a_missing_one_wait_until_it_has_come() {
    let service = Service::new("gap").await;
    let stream = new_stream();
    service.commit(stream, 0, &["GameStarted", "MovePlayed", "MovePlayed", "GameEnded"]).await;
    sqlx::query("update outbox set published_at = now() where version = 2")
        .execute(service.pool())
        .await
        .expect("hidden");
    service.start_relay();
    let config = ConsumerConfig { gap_attempts_max: 3, in_flight_max: 2, ..service.config() };
    service.start_consumer(config, Recorder::default());
    // The first of them is the gap; the other may be found to be behind it, or to be a gap too.
    test_kit::eventually(support::PATIENCE, || async {
        let letters = service.letters().await;
        let versions: Vec<Version> = letters.iter().map(|(_, version, _)| *version).collect();
        (versions == [3, 4] && letters[0].2 == "gap").then_some(())
    })
    .await;
    assert_eq!(service.effects_on(stream).await, [1]);
    let other = new_stream();
    service.commit(other, 0, &["GameStarted"]).await;
    service.until_effects_on(other, &[1]).await;
    sqlx::query("update outbox set published_at = null where version = 2")
        .execute(service.pool())
        .await
        .expect("shown");
    service.until_effects_on(stream, &[1, 2, 3, 4]).await;
    service.until_letters(&[]).await;
}

// BUS-9
#[tokio::test(flavor = "multi_thread")]
async fn letters_are_listed_in_bounded_pages() {
    let service = Service::new("pages").await;
    sqlx::query(
        "insert into dead_letters (consumer, stream_id, version, follows, event_id, subject, schema, data, metadata,
             recorded_at, reason, error, attempts)
         select 'c' || n % 2, gen_random_uuid(), 1 + n, n, gen_random_uuid(), 'evt.a.b.c.d', 1, '', '', now(),
                'fault', 'e', 1
         from generate_series(1, 1100) as n",
    )
    .execute(service.pool())
    .await
    .expect("inserted");
    let mut seen = Vec::new();
    let mut after: Option<LetterPlace> = None;
    loop {
        let page =
            dead_letters::list(service.pool(), None, after.as_ref(), usize::MAX).await.expect("a page");
        assert!(page.len() <= dead_letters::PAGE_LETTERS_MAX);
        let Some(last) = page.last() else { break };
        after = Some(last.place.clone());
        seen.extend(page.into_iter().map(|letter| (letter.place.consumer, letter.place.stream_id)));
    }
    assert_eq!(seen.len(), 1_100);
    assert!(seen.is_sorted());
    let one = dead_letters::list(service.pool(), Some("c1"), None, 10).await.expect("a page");
    assert_eq!(one.len(), 10);
    assert!(one.iter().all(|letter| letter.place.consumer == "c1"));
}
