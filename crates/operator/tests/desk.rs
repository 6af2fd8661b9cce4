//! OperatorService over a real database, broker, relay and consumer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use event_bus::{Bus, CommitSignal, ConsumerConfig, HandleError, Handler, Message, Relay};
use event_store::{Append, Metadata, NewEvent, Publication, StreamId, append_in};
use operator::{Desk, LOOKS_AT_ONCE_MAX};
use prost::Message as _;
use proto::game::v1::GameStarted;
use proto::operator::v1 as pb;
use proto::operator::v1::operator_service_server::OperatorService;
use service_kit::auth::{Authentication, Principal, Role, Roles};
use service_kit::server::Readiness;
use sqlx::{PgConnection, PgPool};
use test_kit::{TestDatabase, eventually};
use test_peer::{Keys, PATIENCE, refusal};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Code, Request, Status};
use uuid::Uuid;

const CONSUMER: &str = "operated_games";

/// A service that hosts a desk and follows its own games, whose handler can be broken.
struct World {
    database: TestDatabase,
    desk: Desk,
    bus: Bus,
    service: &'static str,
    signal: CommitSignal,
    works: Arc<AtomicBool>,
    operator: Uuid,
    shutdown: CancellationToken,
    _stop: DropGuard,
}

struct Fragile(Arc<AtomicBool>);

impl Handler for Fragile {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind == "GameAborted" && !self.0.load(Ordering::SeqCst) {
            return Err(HandleError::Permanent("nobody knows this ending".into()));
        }
        sqlx::query("insert into effects (event_id) values ($1)")
            .bind(message.event_id)
            .execute(conn)
            .await?;
        Ok(())
    }
}

impl World {
    async fn new() -> Self {
        let database = test_kit::postgres().await.database("operator").await;
        for schema in [
            event_store::schema(),
            event_bus::schema(),
            "create table effects (position bigint generated always as identity, event_id uuid not null)",
        ] {
            sqlx::raw_sql(schema).execute(&database.pool).await.expect("a valid schema");
        }
        // Tests share a broker; their own name keeps their streams and consumers apart.
        let service: &'static str = Box::leak(format!("t{}", Uuid::new_v4().simple()).into_boxed_str());
        let nats_url = test_kit::nats().await.url();
        let bus = event_bus::connect(&nats_url, service).await.expect("a broker");
        let mut config = Keys::new().settings(&database.url, &nats_url);
        config.trace_url = Some("https://traces.example/{trace_id}".to_owned());
        let desk = Desk::new(service, &config, &database.pool, &bus, Readiness::default());
        let shutdown = CancellationToken::new();
        Self {
            desk,
            bus,
            service,
            signal: CommitSignal::new(),
            works: Arc::default(),
            operator: Uuid::now_v7(),
            _stop: shutdown.clone().drop_guard(),
            shutdown,
            database,
        }
    }

    fn run(&self) {
        tokio::spawn(Relay::run(
            self.pool().clone(),
            self.bus.clone(),
            self.service,
            self.signal.clone(),
            self.shutdown.clone(),
        ));
        let config = ConsumerConfig {
            parked_interval: std::time::Duration::from_millis(50),
            ..ConsumerConfig::new(CONSUMER, self.service, "game")
        };
        tokio::spawn(event_bus::run_consumer(
            self.pool().clone(),
            self.bus.clone(),
            config,
            Fragile(self.works.clone()),
            self.signal.clone(),
            self.shutdown.clone(),
        ));
    }

    fn pool(&self) -> &PgPool {
        &self.database.pool
    }

    fn ask<T>(&self, message: T) -> Request<T> {
        ask_as(self.operator, &[Role::Player, Role::Operator], message)
    }

    /// Commits public events of a new game.
    async fn game(&self, kinds: &[&'static str]) -> Uuid {
        let game = Uuid::now_v7();
        let data = GameStarted { game_id: game.to_string(), ..GameStarted::default() }.encode_to_vec();
        let events = kinds.iter().zip(0..).map(|(kind, follows)| NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind,
            schema: 1,
            data: data.clone(),
            publication: Publication::Public { follows },
        });
        let append = Append {
            stream: StreamId::new("game", game),
            expected: 0,
            events: events.collect(),
            metadata: Metadata::for_request("anna", Uuid::now_v7()),
        };
        let mut tx = self.pool().begin().await.expect("a transaction");
        append_in(&mut tx, &append).await.expect("written");
        tx.commit().await.expect("committed");
        self.signal.committed();
        game
    }

    async fn letters(&self) -> Vec<pb::DeadLetter> {
        let request = self.ask(pb::ListDeadLettersRequest::default());
        self.desk.list_dead_letters(request).await.expect("listed").into_inner().dead_letters
    }

    async fn until_letters(&self, count: usize) -> Vec<pb::DeadLetter> {
        eventually(PATIENCE, || async {
            let letters = self.letters().await;
            (letters.len() == count).then_some(letters)
        })
        .await
    }

    async fn effects(&self) -> i64 {
        let count = sqlx::query_scalar("select count(*) from effects").fetch_one(self.pool());
        count.await.expect("counted")
    }

    async fn actions(&self) -> Vec<pb::DeadLetterAction> {
        let request = self.ask(pb::ListDeadLetterActionsRequest::default());
        self.desk.list_dead_letter_actions(request).await.expect("listed").into_inner().actions
    }
}

fn ask_as<T>(player_id: Uuid, roles: &[Role], message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Authentication::Known(Principal {
        player_id,
        name: "olga".to_owned(),
        roles: Roles::of(roles),
        expires_at: std::time::SystemTime::now() + PATIENCE,
    }));
    request
}

fn retry_of(letter: &pb::DeadLetter, request_id: Uuid) -> pb::RetryDeadLetterRequest {
    pb::RetryDeadLetterRequest {
        request_id: request_id.to_string(),
        consumer: letter.consumer.clone(),
        stream_id: letter.stream_id.clone(),
        version: letter.version,
        reason: "the handler is mended".to_owned(),
    }
}

fn skip_of(letter: &pb::DeadLetter) -> pb::SkipDeadLetterRequest {
    pb::SkipDeadLetterRequest {
        request_id: Uuid::now_v7().to_string(),
        consumer: letter.consumer.clone(),
        stream_id: letter.stream_id.clone(),
        version: letter.version,
        reason: "it was a test game".to_owned(),
    }
}

fn reason(status: &Status) -> String {
    refusal::reason(status)
}

// OPER-1
#[tokio::test]
async fn nobody_without_the_role_learns_anything_malformed_or_not() {
    let world = World::new().await;
    let roles = [Role::Player, Role::Computer, Role::Moderator];
    macro_rules! refused {
        ($($call:ident, $message:expr;)*) => {$(
            let refused = world.desk.$call(ask_as(Uuid::now_v7(), &roles, $message)).await;
            let status = refused.expect_err("no operator calls");
            assert_eq!(status.code(), Code::PermissionDenied, stringify!($call));
            let refused = world.desk.$call(Request::new($message)).await;
            assert_eq!(refused.expect_err("nobody calls").code(), Code::Unauthenticated, stringify!($call));
        )*};
    }
    refused! {
        get_status, pb::GetStatusRequest {};
        list_events, pb::ListEventsRequest { page_size: 1_000, ..Default::default() };
        list_dead_letters, pb::ListDeadLettersRequest { page_size: 1_000, ..Default::default() };
        retry_dead_letter, pb::RetryDeadLetterRequest::default();
        skip_dead_letter, pb::SkipDeadLetterRequest::default();
        list_dead_letter_actions, pb::ListDeadLetterActionsRequest::default();
    }
}

#[tokio::test]
async fn the_status_tells_what_waits_and_how_far_each_consumer_is() {
    let world = World::new().await;
    world.game(&["GameStarted"]).await;
    let status = world.desk.get_status(world.ask(pb::GetStatusRequest {})).await.expect("told").into_inner();
    assert_eq!((status.service.as_str(), status.outbox_waiting), (world.service, 1));
    assert!(status.broker_connected && status.waiting_for.is_empty() && status.consumers.is_empty());
    assert_eq!(status.trace_url, "https://traces.example/{trace_id}");

    world.run();
    world.game(&["GameStarted", "GameAborted", "GameRematched"]).await;
    world.until_letters(2).await;
    let status = eventually(PATIENCE, || async {
        let request = world.ask(pb::GetStatusRequest {});
        let status = world.desk.get_status(request).await.expect("told").into_inner();
        let all_handled = status.consumers.iter().all(|one| one.waiting == Some(0) && one.in_hand == Some(0));
        (all_handled && status.outbox_waiting == 0).then_some(status)
    })
    .await;
    let [consumer] = &status.consumers[..] else { panic!("one consumer") };
    assert_eq!((consumer.name.as_str(), consumer.source_service.as_str()), (CONSUMER, world.service));
    assert_eq!((consumer.parked, consumer.faults), (2, 1));
    assert_eq!(status.outbox_waiting_ms, 0);
}

#[tokio::test]
async fn events_are_paged_by_stream_and_by_name_with_their_data() {
    let world = World::new().await;
    let game = world.game(&["GameStarted", "GameEnded"]).await;
    world.game(&["GameStarted"]).await;
    let mut token = String::new();
    let mut versions = Vec::new();
    loop {
        let request = pb::ListEventsRequest {
            stream_ids: vec![game.to_string()],
            page_size: 1,
            page_token: token,
            ..Default::default()
        };
        let page = world.desk.list_events(world.ask(request)).await.expect("a page").into_inner();
        versions.extend(page.events.iter().map(|event| event.version));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(versions, [2, 1]);
    let named = pb::ListEventsRequest { kinds: vec!["GameEnded".to_owned()], ..Default::default() };
    let events = world.desk.list_events(world.ask(named)).await.expect("a page").into_inner().events;
    let [ended] = &events[..] else { panic!("one event") };
    assert_eq!((ended.stream_id.as_str(), ended.actor.as_str()), (game.to_string().as_str(), "anna"));
    assert_eq!((ended.stream_kind.as_str(), ended.published_at_ms), ("game", None));
    assert!(ended.data_json.contains("unreadable_bytes"), "no proto has this service's name");
}

#[tokio::test]
async fn what_is_malformed_is_named() {
    let world = World::new().await;
    let request = pb::ListEventsRequest {
        stream_ids: vec!["7".to_owned()],
        correlation_ids: vec![Uuid::now_v7().to_string(); 21],
        kinds: vec!["no name".to_owned()],
        since_ms: -1,
        page_size: 101,
        ..Default::default()
    };
    let status = world.desk.list_events(world.ask(request)).await.expect_err("malformed");
    assert_eq!(status.code(), Code::InvalidArgument);
    for field in ["stream_ids", "correlation_ids", "kinds", "since_ms", "page_size"] {
        assert!(status.message().contains(field), "{field} in {}", status.message());
    }
    let act = pb::RetryDeadLetterRequest { reason: "no".to_owned(), ..Default::default() };
    let status = world.desk.retry_dead_letter(world.ask(act)).await.expect_err("malformed");
    for field in ["request_id", "consumer", "stream_id", "version", "reason"] {
        assert!(status.message().contains(field), "{field} in {}", status.message());
    }
}

// OPER-2
#[tokio::test(flavor = "multi_thread")]
async fn no_more_than_three_search_at_once_and_none_for_longer_than_it_may() {
    let world = World::new().await;
    let other = PgPool::connect(&world.database.url).await.expect("connected");
    let mut tx = other.begin().await.expect("a transaction");
    sqlx::query("lock table events in access exclusive mode").execute(&mut *tx).await.expect("locked");
    let searching: Vec<_> = (0..LOOKS_AT_ONCE_MAX)
        .map(|_| {
            let (desk, request) = (world.desk.clone(), world.ask(pb::ListEventsRequest::default()));
            tokio::spawn(async move { desk.list_events(request).await })
        })
        .collect();
    eventually(PATIENCE, || async {
        let waiting: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        .fetch_one(&other)
        .await
        .expect("a readable activity view");
        (waiting == 3).then_some(())
    })
    .await;
    let one_more = world.desk.list_events(world.ask(pb::ListEventsRequest::default())).await;
    let status = one_more.expect_err("three are at it");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "OVERLOADED"));
    for search in searching {
        let status = search.await.expect("no panic").expect_err("it waits for longer than it may");
        assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "RANGE_TOO_WIDE"));
    }
    tx.rollback().await.expect("unlocked");
    world.desk.list_events(world.ask(pb::ListEventsRequest::default())).await.expect("places are free again");
}

// OPER-3, BUS-6
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_delivers_the_message_again_and_is_noted_with_its_reason() {
    let world = World::new().await;
    world.run();
    world.game(&["GameStarted", "GameAborted", "GameRematched"]).await;
    let letters = world.until_letters(2).await;
    assert_eq!(letters[0].reason(), pb::DeadLetterReason::Fault);
    assert_eq!(letters[1].reason(), pb::DeadLetterReason::Behind);
    assert!(letters[0].error.contains("nobody knows this ending"), "{}", letters[0].error);
    let behind = world.desk.retry_dead_letter(world.ask(retry_of(&letters[1], Uuid::now_v7()))).await;
    let status = behind.expect_err("another one goes first");
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "DEAD_LETTER_NOT_FIRST")
    );

    world.works.store(true, Ordering::SeqCst);
    let request_id = Uuid::now_v7();
    for _ in 0..2 {
        let again = world.ask(retry_of(&letters[0], request_id));
        world.desk.retry_dead_letter(again).await.expect("asked, and asked again");
    }
    world.until_letters(0).await;
    assert_eq!(world.effects().await, 3);
    let [done] = &world.actions().await[..] else { panic!("one action") };
    assert_eq!(done.kind(), pb::DeadLetterActionKind::Retry);
    assert_eq!((done.actor.as_str(), done.version), (world.operator.to_string().as_str(), 2));
    assert_eq!(done.reason, "the handler is mended");
    assert!(done.error.contains("nobody knows this ending"));

    let reused = world.ask(retry_of(&letters[1], request_id));
    let status = world.desk.retry_dead_letter(reused).await.expect_err("another body");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
    let gone = world.ask(retry_of(&letters[0], Uuid::now_v7()));
    let status = world.desk.retry_dead_letter(gone).await.expect_err("it is parked no more");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "DEAD_LETTER_UNKNOWN"));
}

// OPER-3, BUS-6
#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_message_has_no_effect_and_those_behind_it_follow() {
    let world = World::new().await;
    world.run();
    world.game(&["GameStarted", "GameAborted", "GameRematched"]).await;
    let letters = world.until_letters(2).await;
    world.desk.skip_dead_letter(world.ask(skip_of(&letters[0]))).await.expect("skipped");
    world.until_letters(0).await;
    assert_eq!(world.effects().await, 2);
    let [done] = &world.actions().await[..] else { panic!("one action") };
    assert_eq!((done.kind(), done.reason.as_str()), (pb::DeadLetterActionKind::Skip, "it was a test game"));
}
