//! From a confirmed match to a game, and from its end to the others.

use std::time::Duration;

use futures::StreamExt as _;
use prost::Message as _;
use proto::{game::v1 as pb, matchmaking::v1::MatchProposed};
use service_kit::config::Environment;
use sqlx::Row as _;

use crate::harness::{PATIENCE, Stand, proposal};

#[tokio::test]
async fn a_confirmed_match_becomes_one_game_with_all_its_facts() {
    let stand = Stand::start("becomes_game").await;
    let table = stand.table().await;
    // What follows in the match's stream is passed over.
    stand.matchmaking.start_match(&proposal(&table)).await;
    let game = stand.caller().game(table.game_id).await;
    assert_eq!(
        (game.match_id.as_str(), game.city_id.as_str()),
        (table.match_id.to_string().as_str(), "lisbon")
    );
    assert_eq!((game.rule_set.as_str(), game.time_scale), ("city", 1));
    assert_eq!(game.white.as_ref().map(|white| white.name.as_str()), Some("Ada"));
    assert_eq!(
        game.black.as_ref().map(|black| black.player_id.clone()),
        Some(table.black.player_id.to_string())
    );
    assert_eq!(
        game.stake.as_ref().map(|stake| (stake.minor_units, stake.currency.as_str())),
        Some((500, "XPL"))
    );
    assert_eq!((game.white_clock_ms, game.black_clock_ms), (180_000, 180_000));
    assert_eq!(game.deadline_ms, game.started_at_ms + 20_000);
    assert_eq!(stand.logged(&table, &["GameStarted"]).await, 1);
}

#[tokio::test]
async fn a_match_delivered_again_makes_no_second_game() {
    let mut stand = Stand::start("delivered_again").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4", 1_000).await;
    stand.stop().await.expect("a clean stop");
    // As if the inbox had never heard of the match: the broker delivers it again from the start.
    sqlx::query("delete from inbox").execute(stand.pool()).await.expect("emptied");
    let client = event_bus::connect(&stand.nats.url(), "test").await.expect("the broker");
    client
        .jetstream()
        .delete_consumer_from_stream("game_matches", "EVENTS_MATCHMAKING")
        .await
        .expect("deleted");
    stand.start_again().await;
    test_kit::eventually(PATIENCE, || async {
        let handled: i64 =
            sqlx::query_scalar("select count(*) from inbox").fetch_one(stand.pool()).await.expect("counted");
        (handled > 0).then_some(())
    })
    .await;
    stand.play(&table, "e7e5", 1_000).await;
    assert_eq!(stand.logged(&table, &["GameStarted"]).await, 1);
    let parked: i64 = sqlx::query_scalar("select count(*) from dead_letters")
        .fetch_one(stand.pool())
        .await
        .expect("counted");
    assert_eq!(parked, 0);
}

#[tokio::test]
async fn a_match_that_makes_no_sense_is_parked_and_holds_up_no_other() {
    let stand = Stand::start("parked").await;
    let broken: [fn(&mut MatchProposed); 6] = [
        |proposal| proposal.rule_set = "suicide".to_owned(),
        |proposal| {
            proposal.time_control = Some(proto::types::v1::TimeControl { base_ms: 60_000, increment_ms: 0 })
        },
        |proposal| proposal.game_id = "seven".to_owned(),
        |proposal| proposal.stake = None,
        |proposal| proposal.black = proposal.white.clone(),
        |proposal| proposal.time_scale = 1_000_000,
    ];
    for spoil in &broken {
        let mut spoiled = proposal(&stand.seats());
        spoil(&mut spoiled);
        stand.matchmaking.confirm(&spoiled).await;
    }
    stand.table().await;
    test_kit::eventually(PATIENCE, || async {
        let parked: i64 = sqlx::query_scalar("select count(distinct stream_id) from dead_letters")
            .fetch_one(stand.pool())
            .await
            .expect("counted");
        (parked == 6).then_some(())
    })
    .await;
    let games: i64 =
        sqlx::query_scalar("select count(*) from games").fetch_one(stand.pool()).await.expect("counted");
    assert_eq!(games, 1);
}

#[tokio::test]
async fn clocks_run_faster_in_development_and_never_in_production() {
    let development = Stand::start("scaled").await;
    let table = development.seats();
    let scaled = MatchProposed { time_scale: 60, ..proposal(&table) };
    development.matchmaking.confirm(&scaled).await;
    development.begun(&table).await;
    development.play(&table, "e2e4 e7e5 g1f3", 1_000).await;
    let game = development.caller().game(table.game_id).await;
    assert_eq!((game.time_scale, game.moves[2].charged_ms), (60, 60_000));

    let production = Stand::start_in("unscaled", Environment::Production).await;
    let table = production.seats();
    let scaled = MatchProposed { time_scale: 60, ..proposal(&table) };
    production.matchmaking.confirm(&scaled).await;
    let error: String = test_kit::eventually(PATIENCE, || async {
        sqlx::query("select to_jsonb(d)::text as letter from dead_letters d")
            .fetch_optional(production.pool())
            .await
            .expect("read")
            .map(|row| row.get("letter"))
    })
    .await;
    assert!(error.contains("time scale"), "{error}");
    assert!(production.caller().try_game(table.game_id).await.is_err());
}

#[tokio::test]
async fn the_others_hear_of_the_start_and_of_the_end_with_all_moves_and_of_nothing_between() {
    let stand = Stand::start("public").await;
    let bus = event_bus::connect(&stand.nats.url(), "listener").await.expect("the broker");
    let mut events = bus.client().subscribe("evt.game.>").await.expect("subscribed");
    let table = stand.table().await;
    stand.play(&table, crate::lines::FOOLS_MATE, 1_500).await;
    let mut heard = Vec::new();
    for _ in 0..2 {
        heard.push(tokio::time::timeout(PATIENCE, events.next()).await.expect("an event").expect("open"));
    }
    let subjects: Vec<&str> = heard.iter().map(|event| event.subject.as_str()).collect();
    let subject = |kind| format!("evt.game.game.{}.{kind}", table.game_id);
    assert_eq!(subjects, [subject("GameStarted"), subject("GameEnded")]);
    let headers = heard[1].headers.as_ref().expect("headers");
    let header = |name| headers.get(name).map(|value| value.as_str().to_owned());
    assert_eq!(
        (header("Stakemate-Version"), header("Stakemate-Follows")),
        (Some("6".into()), Some("1".into()))
    );

    let ended = pb::GameEnded::decode(heard[1].payload.as_ref()).expect("a GameEnded");
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::Checkmate));
    assert_eq!((ended.game_id, ended.match_id), (table.game_id.to_string(), table.match_id.to_string()));
    let moves: Vec<(&str, i64)> =
        ended.moves.iter().map(|played| (played.uci.as_str(), played.charged_ms)).collect();
    assert_eq!(moves, [("f2f3", 0), ("e7e5", 0), ("g2g4", 1_500), ("d8h4", 1_500)]);
    let more = tokio::time::timeout(Duration::from_millis(300), events.next()).await;
    assert!(more.is_err(), "{more:?}");
}
