//! Looking into the log, newest first.

mod support;

use event_store::{
    Append, Look, LookPosition, Metadata, NewEvent, Publication, SeenEvent, StreamId, append_in, look,
};
use sqlx::PgPool;
use support::{append, database, event, new_stream, public_append};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

async fn write(pool: &PgPool, append: &Append) {
    let mut tx = pool.begin().await.expect("a transaction");
    append_in(&mut tx, append).await.expect("written");
    tx.commit().await.expect("committed");
}

async fn see(pool: &PgPool, wanted: &Look, limit: usize) -> Vec<SeenEvent> {
    let from = LookPosition::before(OffsetDateTime::now_utc() + Duration::MINUTE);
    look(pool, wanted, from, limit).await.expect("seen")
}

/// Moves a stream's events into the past, which nothing but a test does.
async fn age(pool: &PgPool, stream: StreamId, by: Duration) {
    sqlx::query("update events set recorded_at = recorded_at - $2 where stream_id = $1")
        .bind(stream.id)
        .bind(by)
        .execute(pool)
        .await
        .expect("aged");
}

fn in_chain(stream: StreamId, correlation_id: Uuid, kind: &'static str) -> Append {
    let events: Vec<NewEvent> = vec![event(kind, 1, Publication::Private)];
    Append { stream, expected: 0, events, metadata: Metadata::for_request("tester", correlation_id) }
}

#[tokio::test]
async fn the_newest_events_come_first_and_pages_meet_without_a_gap() {
    let database = database("look").await;
    let streams: Vec<StreamId> = (0..5).map(|_| new_stream()).collect();
    for stream in &streams {
        write(&database.pool, &append(*stream, 0, 4)).await;
    }
    let all = see(&database.pool, &Look::default(), 100).await;
    assert_eq!(all.len(), 20);
    assert!(all.is_sorted_by_key(|seen| std::cmp::Reverse((
        seen.event.recorded_at,
        seen.event.stream_id,
        seen.event.version
    ))));
    let mut paged = Vec::new();
    let mut from = LookPosition::before(OffsetDateTime::now_utc() + Duration::MINUTE);
    loop {
        let page = look(&database.pool, &Look::default(), from, 7).await.expect("a page");
        let Some(last) = page.last() else { break };
        from = LookPosition::behind(&last.event);
        paged.extend(page);
    }
    assert_eq!(paged, all);
}

#[tokio::test]
async fn streams_chains_and_names_choose_what_is_seen() {
    let database = database("choose").await;
    let (game, chain) = (new_stream(), Uuid::now_v7());
    write(&database.pool, &append(game, 0, 3)).await;
    write(&database.pool, &in_chain(new_stream(), chain, "StakesHeld")).await;
    write(&database.pool, &in_chain(new_stream(), Uuid::now_v7(), "StakesHeld")).await;

    let of_stream = see(&database.pool, &Look { stream_ids: vec![game.id], ..Look::default() }, 100).await;
    assert_eq!(of_stream.iter().map(|seen| seen.event.version).collect::<Vec<_>>(), [3, 2, 1]);
    let of_chain = see(&database.pool, &Look { correlation_ids: vec![chain], ..Look::default() }, 100).await;
    assert_eq!(of_chain.len(), 1);
    assert_eq!(of_chain[0].event.metadata.correlation_id, chain);
    let named = Look { kinds: vec!["StakesHeld".to_owned()], ..Look::default() };
    assert_eq!(see(&database.pool, &named, 100).await.len(), 2);
    let both = Look { stream_ids: vec![game.id], ..named };
    assert!(see(&database.pool, &both, 100).await.is_empty());
}

#[tokio::test]
async fn a_search_by_time_goes_back_a_month_and_no_further_than_asked() {
    let database = database("back").await;
    let (old, ancient) = (new_stream(), new_stream());
    write(&database.pool, &append(old, 0, 1)).await;
    write(&database.pool, &append(ancient, 0, 1)).await;
    age(&database.pool, old, Duration::days(20)).await;
    age(&database.pool, ancient, Duration::days(40)).await;
    let seen = see(&database.pool, &Look::default(), 100).await;
    assert_eq!(seen.iter().map(|seen| seen.event.stream_id).collect::<Vec<_>>(), [old.id]);
    let lately = Look { since: Some(OffsetDateTime::now_utc() - Duration::HOUR), ..Look::default() };
    assert!(see(&database.pool, &lately, 100).await.is_empty());
    let by_stream = Look { stream_ids: vec![ancient.id], ..Look::default() };
    assert_eq!(see(&database.pool, &by_stream, 100).await.len(), 1);
}

#[tokio::test]
async fn a_public_event_shows_its_stream_and_when_the_broker_had_it() {
    let database = database("public").await;
    let stream = new_stream();
    write(&database.pool, &public_append(stream, 0, 1)).await;
    write(&database.pool, &append(stream, 1, 1)).await;
    sqlx::query("update outbox set published_at = now()").execute(&database.pool).await.expect("published");
    let wanted = Look { stream_ids: vec![stream.id], ..Look::default() };
    let [private, public] = &see(&database.pool, &wanted, 10).await[..] else { panic!("two events") };
    assert_eq!((private.stream_kind.as_deref(), private.published_at), (None, None));
    assert_eq!(public.stream_kind.as_deref(), Some("game"));
    assert!(public.published_at.is_some());
}
