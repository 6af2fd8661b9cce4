//! The best running game: which it is, and when it becomes another one.

use event_store::StreamId;
use proto::{
    game::v1::{self as pb, watch_featured_response::Frame},
    rating::v1::{PlayerRatingChange, PlayerRatingCorrection, RatingCorrected, RatingRecord, RatingsChanged},
    types::v1::TimeControl,
};
use test_peer::Peer;
use tonic::Streaming;
use uuid::Uuid;

use crate::harness::{PATIENCE, Player, Stand, Table, proposal};

type Stream = Streaming<pb::WatchFeaturedResponse>;

async fn watch(stand: &Stand) -> Stream {
    let watched = stand.caller().client.clone().watch_featured(pb::WatchFeaturedRequest {}).await;
    watched.expect("nobody needs an account").into_inner()
}

/// The next frame that is not a heartbeat.
async fn next(stream: &mut Stream) -> (u64, Frame) {
    loop {
        let next = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        let frame = next.expect("the stream is whole").expect("it does not end");
        match frame.frame.expect("content") {
            Frame::Heartbeat(_) => {}
            content => return (frame.sequence, content),
        }
    }
}

async fn next_game(stream: &mut Stream) -> pb::FeaturedGameFrame {
    match next(stream).await {
        (_, Frame::Game(game)) => game,
        other => panic!("a game was expected: {other:?}"),
    }
}

fn record(rating: f64) -> Option<RatingRecord> {
    Some(RatingRecord { rating, ..RatingRecord::default() })
}

/// The rating service says what two players have after a game at 3 + 2.
async fn rate(rating: &Peer, players: [(&Player, f64); 2], pool_sequence: u64) {
    let [white, black] = players.map(|(player, rating)| {
        let after = record(rating);
        Some(PlayerRatingChange { player_id: player.player_id.to_string(), after, ..Default::default() })
    });
    let (game_id, pool) = (Uuid::now_v7(), "3+2".to_owned());
    let changed = RatingsChanged { pool, white, black, pool_sequence, ..Default::default() };
    rating.publish(StreamId::new("game", game_id), "RatingsChanged", &changed).await;
}

/// Waits until so many messages of the rating service have had their effect.
async fn heard(stand: &Stand, messages: i64) {
    test_kit::eventually(PATIENCE, || async {
        let count: i64 = sqlx::query_scalar("select count(*) from inbox where consumer = 'game_ratings'")
            .fetch_one(stand.pool())
            .await
            .expect("the inbox can be read");
        (count >= messages).then_some(())
    })
    .await;
}

async fn game_of(stand: &Stand, white: &Player, black: &Player) -> Table {
    let table = Table { white: white.clone(), black: black.clone(), ..stand.seats() };
    stand.matchmaking.confirm(&proposal(&table)).await;
    stand.begun(&table).await;
    table
}

async fn give_up(stand: &Stand, table: &Table) {
    stand.caller().resign(&table.white, table.game_id).await.expect("resigned");
}

#[tokio::test]
async fn the_best_running_game_is_shown_until_a_better_one_begins_or_it_ends() {
    let stand = Stand::start("featured").await;
    let rating = Peer::start("rating", &stand.nats.url()).await;
    let [ada, ben, cy, dee] = ["Ada", "Ben", "Cy", "Dee"].map(|name| stand.player(name));
    let mut stream = watch(&stand).await;
    assert_eq!(next(&mut stream).await, (1, Frame::Nothing(pb::NothingFeaturedFrame {})));

    let strangers = game_of(&stand, &ada, &ben).await;
    let shown = next_game(&mut stream).await;
    assert_eq!(shown.game_id, strangers.game_id.to_string());
    assert_eq!((shown.white_rating, shown.black_rating), (None, None), "nothing is known of them");

    // The changes of a pool come in streams of games, so a later one may be heard of first.
    rate(&rating, [(&cy, 1_900.0), (&dee, 1_800.0)], 7).await;
    heard(&stand, 1).await;
    rate(&rating, [(&cy, 1_000.0), (&ada, 1_550.0)], 6).await;
    let correction = RatingCorrected {
        pool: "3+2".to_owned(),
        players: vec![PlayerRatingCorrection {
            player_id: dee.player_id.to_string(),
            after: record(1_812.5),
            ..Default::default()
        }],
        pool_sequence: 8,
        ..Default::default()
    };
    rating.publish(StreamId::new("game", Uuid::now_v7()), "RatingCorrected", &correction).await;
    heard(&stand, 3).await;
    let masters = game_of(&stand, &cy, &dee).await;
    let shown = next_game(&mut stream).await;
    let name = |player: Option<proto::types::v1::Player>| player.expect("a player").name;
    assert_eq!(shown.game_id, masters.game_id.to_string());
    assert_eq!((shown.white_rating, shown.black_rating), (Some(1_900.0), Some(1_812.5)));
    assert_eq!((name(shown.white), name(shown.black)), ("Cy".to_owned(), "Dee".to_owned()));
    assert_eq!(shown.time_control, Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }));
    assert_eq!((shown.rule_set.as_str(), shown.city_id.as_str()), ("city", "lisbon"));

    give_up(&stand, &masters).await;
    assert_eq!(next_game(&mut stream).await.game_id, strangers.game_id.to_string());
    give_up(&stand, &strangers).await;
    assert_eq!(next(&mut stream).await, (5, Frame::Nothing(pb::NothingFeaturedFrame {})));
}

#[tokio::test]
async fn what_is_found_by_link_only_or_moves_no_rating_is_not_shown_to_everybody() {
    let stand = Stand::start("featured_tables").await;
    let caller = stand.caller();
    let (ada, ben) = (stand.player("Ada"), stand.player("Ben"));
    let sit = async |visibility: pb::TableVisibility, guest: &Player| {
        let open = pb::OpenTableRequest {
            request_id: Uuid::new_v4().to_string(),
            time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
            visibility: visibility as i32,
            ..Default::default()
        };
        let opened = caller.tables.clone().open_table(ada.sign(open)).await.expect("opened").into_inner();
        let table_id = opened.table.expect("a table").table_id;
        let take = pb::TakeSeatRequest { request_id: Uuid::new_v4().to_string(), table_id };
        let taken = caller.tables.clone().take_seat(guest.sign(take)).await.expect("taken").into_inner();
        taken.table.expect("a table")
    };
    let hidden = sit(pb::TableVisibility::ByLink, &ben).await;
    let unrated = sit(pb::TableVisibility::Public, &stand.computer("Deep")).await;
    stand.clock.advance(1_000);
    let shown = sit(pb::TableVisibility::Public, &ben).await;

    // The older of games with equal ratings would be shown, if it could be.
    let mut stream = watch(&stand).await;
    let frame = loop {
        match next(&mut stream).await.1 {
            Frame::Nothing(_) => {}
            Frame::Game(game) => break game,
            other => panic!("a game was expected: {other:?}"),
        }
    };
    assert_eq!((frame.table_id, frame.game_id), (shown.table_id, shown.game_id));
    assert!(!hidden.game_id.is_empty() && !unrated.game_id.is_empty(), "both games are running");
    assert!(frame.city_id.is_empty());
}
