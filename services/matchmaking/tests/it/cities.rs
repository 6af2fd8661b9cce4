//! Cities: administered by operators, seen by everybody, at every instance.

use proto::matchmaking::v1::{
    CancelReason, City, CityCreated, CitySettings, CityUpdated, CreateCityRequest, OpenHours,
    UpdateCityRequest,
};
use proto::types::v1::{Money, TimeControl};
use service_kit::auth::Role;
use test_kit::eventually;
use test_peer::refusal::{bad_fields, metadata, reason};
use test_peer::{PATIENCE, Visitor};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::support::{Ask, Client, Pair, World};

fn settings() -> CitySettings {
    CitySettings {
        name: "Köln".to_owned(),
        stake: Some(Money { minor_units: 700, currency: "XPL".to_owned() }),
        fee_basis_points: 250,
        time_controls: vec![TimeControl { base_ms: 180_000, increment_ms: 2_000 }],
        open_hours: None,
        enabled: true,
    }
}

fn create(settings: CitySettings) -> CreateCityRequest {
    CreateCityRequest {
        request_id: Uuid::now_v7().to_string(),
        city_id: "koeln".to_owned(),
        settings: Some(settings),
        reason: "carnival".to_owned(),
    }
}

/// A request that leaves a city as it is.
fn update_of(city: &City) -> UpdateCityRequest {
    UpdateCityRequest {
        request_id: Uuid::now_v7().to_string(),
        city_id: city.city_id.clone(),
        etag: city.etag.clone(),
        settings: Some(CitySettings {
            name: city.name.clone(),
            stake: city.stake.clone(),
            fee_basis_points: city.fee_basis_points,
            time_controls: city.time_controls.clone(),
            open_hours: city.open_hours,
            enabled: city.enabled,
        }),
        reason: "a test".to_owned(),
    }
}

fn changed(city: &City, change: impl FnOnce(&mut CitySettings)) -> UpdateCityRequest {
    let mut update = update_of(city);
    change(update.settings.as_mut().expect("it has settings"));
    update
}

impl World {
    fn operator(&self) -> Visitor {
        self.keys.visitor(Uuid::now_v7(), "Olga", &[Role::Operator])
    }
}

impl Client {
    async fn create_city(&self, caller: &Visitor, request: CreateCityRequest) -> Result<City, Status> {
        let answer = self.grpc.clone().create_city(caller.request(request)).await?;
        Ok(answer.into_inner().city.expect("the answer has the city"))
    }

    async fn update_city(&self, caller: &Visitor, request: UpdateCityRequest) -> Result<City, Status> {
        let answer = self.grpc.clone().update_city(caller.request(request)).await?;
        Ok(answer.into_inner().city.expect("the answer has the city"))
    }
}

#[tokio::test]
async fn a_city_that_an_operator_adds_is_listed_and_played_in_at_every_instance() {
    let world = World::start().await;
    let second = world.another().await;
    let (here, there) = (world.client(), Client::of(&second));
    let operator = world.operator();
    let request = create(settings());
    let city = here.create_city(&operator, request.clone()).await.expect("he may");
    assert_eq!((city.name.as_str(), city.etag.as_str(), city.open, city.time_scale), ("Köln", "1", true, 1));
    assert_eq!(here.city("koeln").await, city);
    eventually(PATIENCE, || async { there.find_city("koeln").await }).await;

    let message = world
        .matchmaking
        .find("the city".to_owned(), |message| {
            message.kind == "CityCreated" && message.metadata.actor == operator.player_id.to_string()
        })
        .await;
    let event: CityCreated = message.decode().expect("it is encoded well");
    assert_eq!((event.city_id.as_str(), event.reason.as_str()), ("koeln", "carnival"));

    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let mut first = here.join(&ada, &Ask::in_city("koeln")).await.expect("it is open");
    let mut other = there.join(&ben, &Ask::in_city("koeln")).await.expect("it is open");
    let match_id = first.securing().await;
    assert_eq!(other.securing().await, match_id);
    let proposal = world.proposal(match_id).await;
    assert_eq!(proposal.stake.map(|stake| stake.minor_units), Some(700));
    assert_eq!(proposal.fee_basis_points, 250);

    // The same request again is the same answer, and another one with its id is none.
    assert_eq!(there.create_city(&operator, request.clone()).await.expect("as before").etag, "1");
    let other_body = CreateCityRequest { reason: "another".to_owned(), ..request };
    let status = here.create_city(&operator, other_body).await.expect_err("another body");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
    let status = here.create_city(&operator, create(settings())).await.expect_err("the id is taken");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "CITY_EXISTS"));
}

#[tokio::test]
async fn only_operators_write_cities_and_hear_what_is_wrong_with_them() {
    let world = World::start().await;
    let (client, operator) = (world.client(), world.operator());
    let status = client.create_city(&world.player("Ada"), create(settings())).await.expect_err("a player");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "ROLE_MISSING"));
    let paris = client.city("paris").await;
    let status = client.update_city(&world.player("Ada"), update_of(&paris)).await.expect_err("a player");
    assert_eq!(reason(&status), "ROLE_MISSING");

    let status = client.create_city(&operator, CreateCityRequest::default()).await.expect_err("empty");
    assert_eq!(bad_fields(&status), ["request_id", "city_id", "reason", "settings"]);
    let bad = CreateCityRequest {
        city_id: "Köln".to_owned(),
        ..create(CitySettings {
            name: " ".to_owned(),
            stake: Some(Money { minor_units: 0, currency: "XPL".to_owned() }),
            fee_basis_points: 5_001,
            time_controls: vec![TimeControl { base_ms: 1, increment_ms: 0 }],
            open_hours: Some(OpenHours { opens_minute: 60, closes_minute: 60 }),
            enabled: true,
        })
    };
    let status = client.create_city(&operator, bad).await.expect_err("all of it is bad");
    let fields = ["name", "stake", "time_controls", "open_hours", "fee_basis_points"];
    let expected: Vec<String> = fields.iter().map(|field| format!("settings.{field}")).collect();
    assert_eq!(bad_fields(&status)[0], "city_id");
    assert_eq!(bad_fields(&status)[1..], expected);
    let status =
        client.update_city(&operator, UpdateCityRequest { etag: "x".to_owned(), ..update_of(&paris) });
    assert_eq!(bad_fields(&status.await.expect_err("no etag")), ["etag"]);
}

#[tokio::test]
async fn an_operator_who_has_not_seen_the_latest_settings_changes_nothing() {
    let world = World::start().await;
    let (client, operator) = (world.client(), world.operator());
    let paris = client.city("paris").await;
    let dearer = changed(&paris, |settings| settings.fee_basis_points = 600);
    let updated = client.update_city(&operator, dearer.clone()).await.expect("he has seen it");
    assert_eq!((updated.fee_basis_points, updated.etag.as_str()), (600, "2"));
    let status = client.update_city(&operator, update_of(&paris)).await.expect_err("it has changed");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Aborted, "CITY_STALE"));
    assert_eq!(metadata(&status, "etag").as_deref(), Some("2"));
    assert_eq!(client.update_city(&operator, dearer).await.expect("as before"), updated);
    let elsewhere = UpdateCityRequest { city_id: "atlantis".to_owned(), ..update_of(&paris) };
    let status = client.update_city(&operator, elsewhere).await.expect_err("there is none");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "CITY_UNKNOWN"));
    let message =
        world.matchmaking.find("the change".to_owned(), |message| message.kind == "CityUpdated").await;
    let event: CityUpdated = message.decode().expect("it is encoded well");
    assert_eq!(event.settings.map(|settings| settings.fee_basis_points), Some(600));
}

// MATCH-13
#[tokio::test]
async fn who_waits_in_a_city_that_is_closed_or_changed_is_told_so_and_a_match_goes_on() {
    let world = World::start().await;
    let second = world.another().await;
    let (client, operator) = (world.client(), world.operator());
    let Pair { match_id, mut first, second: mut other } = world.proposed().await;
    let ada = world.player("Ada");
    let mut waiting = world.searching(&ada).await;
    let paris = client.city("paris").await;
    let dearer = changed(&paris, |settings| {
        settings.stake = Some(Money { minor_units: 50_000, currency: "XPL".to_owned() })
    });
    let dearer = Client::of(&second).update_city(&operator, dearer).await.expect("he may");
    assert_eq!(waiting.closed().await, CancelReason::CityChanged);
    world.agree(match_id).await;
    assert_eq!(
        first.matched().await.game_id,
        other.matched().await.game_id,
        "it goes on under its own terms"
    );

    let mut waiting = world.searching(&ada).await;
    let closed = changed(&dearer, |settings| settings.enabled = false);
    let closed = client.update_city(&operator, closed).await.expect("he may");
    assert!(!closed.open && !closed.enabled);
    assert_eq!(waiting.closed().await, CancelReason::CityClosed);
    let refused = client.join(&ada, &Ask::new()).await.err().expect("it is closed");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "CITY_CLOSED"));
    assert_eq!(client.city("paris").await.waiting, 0);
}

#[tokio::test]
async fn a_city_is_closed_outside_its_hours() {
    let world = World::start().await;
    let (client, operator) = (world.client(), world.operator());
    let minute = u32::try_from(matchmaking::app::queue::now_ms() / 60_000 % 1_440).expect("a small number");
    // From two hours on, for an hour: not now, however long the test takes.
    let later = |hours: u32| (minute + 60 * hours) % 1_440;
    let hours = OpenHours { opens_minute: later(2), closes_minute: later(3) };
    let city = create(CitySettings { open_hours: Some(hours), ..settings() });
    let city = client.create_city(&operator, city).await.expect("he may");
    assert!(city.enabled && !city.open);
    let refused =
        client.join(&world.player("Ada"), &Ask::in_city("koeln")).await.err().expect("it is closed");
    assert_eq!(reason(&refused), "CITY_CLOSED");
}

// The cities of the first start are events, written once, and what operators make of them outlives a restart.
#[tokio::test]
async fn the_first_cities_are_written_once_and_stay_as_operators_leave_them() {
    let mut world = World::start().await;
    let client = world.client();
    let havana = client.city("havana").await;
    let renamed = changed(&havana, |settings| settings.name = "La Habana".to_owned());
    client.update_city(&world.operator(), renamed).await.expect("he may");
    world.crash();
    world.start_again().await;
    let havana = world.client().city("havana").await;
    assert_eq!((havana.name.as_str(), havana.etag.as_str()), ("La Habana", "2"));
    let written: Vec<i64> = sqlx::query_scalar("select version from cities order by version")
        .fetch_all(world.pool())
        .await
        .expect("the database answers");
    assert_eq!(written, [1, 1, 1, 1, 2]);
}

// The estimate comes from those who were paired in this queue.
#[tokio::test]
async fn the_estimated_wait_comes_when_enough_have_been_paired() {
    let world = World::start().await;
    for _ in 0..2 {
        let player = world.player("Ada");
        let mut seeker = world.client().join(&player, &Ask::new()).await.expect("a ticket");
        assert_eq!(seeker.searching().await.estimated_wait_ms, None);
        let mut other = world.client().join(&world.player("Ben"), &Ask::new()).await.expect("a ticket");
        assert_eq!(seeker.securing().await, other.securing().await);
    }
    let estimate = eventually(PATIENCE, || async {
        let player = world.player("Cai");
        let mut seeker = world.client().join(&player, &Ask::new()).await.expect("a ticket");
        let estimate = seeker.searching().await.estimated_wait_ms;
        world.client().leave(&player).await;
        estimate
    })
    .await;
    assert!((0..10_000).contains(&estimate), "{estimate}");
    let elsewhere = world.client().join(&world.player("Dan"), &Ask::in_city("havana")).await;
    assert_eq!(elsewhere.expect("a ticket").searching().await.estimated_wait_ms, None);
}

// E09: not silence. The wait is made long in the log of a match, which gives it back when it is cancelled.
#[tokio::test]
async fn who_has_nobody_in_reach_hears_it() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    sqlx::query("update matches set white_queued_at_ms = white_queued_at_ms - 45000, black_queued_at_ms = black_queued_at_ms - 45000")
        .execute(world.pool())
        .await
        .expect("the database answers");
    // With the ticket gone from Redis the match's log is what is left of the wait.
    let mut world = world;
    world.crash();
    world.kill_redis();
    world.restart_redis();
    world.start_again().await;
    pair.second = world.client().join(&pair.second.player, &pair.second.ask).await.expect("it is his match");
    pair.second.securing().await;
    assert!(world.client().leave(&pair.first.player).await);
    pair.second.failed().await;
    let alone = pair.second.alone().await;
    assert_eq!(alone.window, 250);
    assert!(alone.waited_ms >= 45_000);
}
