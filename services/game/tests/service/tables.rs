//! House tables: opened, found, taken, left, and played at again.

use prost::Message as _;
use proto::{
    game::v1::{self as pb, watch_game_response::Frame, watch_tables_response::Frame as TableFrame},
    types::v1::TimeControl,
};
use tonic::{Code, Status, Streaming};
use uuid::Uuid;

use crate::harness::{Caller, PATIENCE, Player, Stand, Table, reason, reason_metadata};

const BLITZ: Option<TimeControl> = Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 });

fn terms(rule_set: &str, time_control: Option<TimeControl>) -> pb::OpenTableRequest {
    pb::OpenTableRequest {
        request_id: Uuid::new_v4().to_string(),
        rule_set: rule_set.to_owned(),
        time_control,
        ..Default::default()
    }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}

impl Caller {
    async fn open(&self, host: &Player, request: pb::OpenTableRequest) -> Result<pb::Table, Status> {
        let opened = self.tables.clone().open_table(host.sign(request)).await?;
        Ok(opened.into_inner().table.expect("a table"))
    }

    async fn sit_down(&self, player: &Player, table_id: &str) -> Result<pb::Table, Status> {
        let request = pb::TakeSeatRequest { request_id: new_id(), table_id: table_id.to_owned() };
        Ok(self.tables.clone().take_seat(player.sign(request)).await?.into_inner().table.expect("a table"))
    }

    async fn get_up(&self, player: &Player, table_id: &str) -> Result<pb::Table, Status> {
        let request = pb::LeaveTableRequest { request_id: new_id(), table_id: table_id.to_owned() };
        Ok(self.tables.clone().leave_table(player.sign(request)).await?.into_inner().table.expect("a table"))
    }

    async fn again(&self, player: &Player, table_id: &str) -> Result<pb::Table, Status> {
        let request = pb::OfferRematchRequest { request_id: new_id(), table_id: table_id.to_owned() };
        let offered = self.tables.clone().offer_rematch(player.sign(request)).await?;
        Ok(offered.into_inner().table.expect("a table"))
    }

    async fn answer(
        &self,
        player: &Player,
        table_id: &str,
        answer: pb::RematchAnswer,
    ) -> Result<pb::Table, Status> {
        let (request_id, table_id) = (new_id(), table_id.to_owned());
        let request = pb::AnswerRematchRequest { request_id, table_id, answer: answer as i32 };
        let answered = self.tables.clone().answer_rematch(player.sign(request)).await?;
        Ok(answered.into_inner().table.expect("a table"))
    }

    async fn listed(&self) -> Vec<String> {
        let listed = self.tables.clone().list_tables(pb::ListTablesRequest::default()).await.expect("a list");
        listed.into_inner().tables.into_iter().map(|table| table.table_id).collect()
    }

    async fn follow(&self, table_id: &str) -> Result<Streaming<pb::WatchTablesResponse>, Status> {
        let request = pb::WatchTablesRequest { table_id: table_id.to_owned() };
        Ok(self.tables.clone().watch_tables(request).await?.into_inner())
    }
}

/// The game that is on at a table, with its players where they sit.
async fn game_at(stand: &Stand, table: &pb::Table, players: [&Player; 2]) -> Table {
    let game_id = table.game_id.parse().expect("a game is on");
    let game = stand.caller().game(game_id).await;
    let white_id = game.white.expect("White").player_id;
    let [white, black] = match players[0].player_id.to_string() == white_id {
        true => players,
        false => [players[1], players[0]],
    };
    Table { game_id, match_id: Uuid::nil(), white: white.clone(), black: black.clone() }
}

async fn ended_event(stand: &Stand, table: &Table) -> pb::GameEnded {
    let data: Vec<u8> =
        sqlx::query_scalar("select data from events where stream_id = $1 and type = 'GameEnded'")
            .bind(table.game_id)
            .fetch_one(stand.pool())
            .await
            .expect("the game has ended");
    pb::GameEnded::decode(data.as_slice()).expect("readable")
}

async fn next_frame(stream: &mut Streaming<pb::WatchTablesResponse>) -> Option<TableFrame> {
    loop {
        let frame = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        match frame.expect("the stream is whole")?.frame.expect("content") {
            TableFrame::Heartbeat(_) => {}
            frame => return Some(frame),
        }
    }
}

#[tokio::test]
async fn a_table_is_opened_found_and_played_at_for_nothing() {
    let stand = Stand::start("table_played").await;
    let caller = stand.caller();
    let (ada, ben, cy) = (stand.player("Ada"), stand.player("Ben"), stand.player("Cy"));
    let request = terms("", BLITZ);
    let opened = caller.open(&ada, request.clone()).await.expect("opened");
    assert_eq!(
        (opened.status(), opened.rule_set.as_str(), opened.rated),
        (pb::TableStatus::Waiting, "table", true)
    );
    assert_eq!(caller.open(&ada, request.clone()).await.expect("the first answer"), opened);
    let other = pb::OpenTableRequest { time_control: None, ..request };
    assert_eq!(reason(&caller.open(&ada, other).await.expect_err("another body")), "REQUEST_ID_REUSED");
    assert_eq!(caller.listed().await, [opened.table_id.as_str()]);

    let seat = pb::TakeSeatRequest { request_id: new_id(), table_id: opened.table_id.clone() };
    let taken = caller.tables.clone().take_seat(ben.sign(seat.clone())).await.expect("a seat").into_inner();
    let playing = taken.table.clone().expect("a table");
    assert_eq!((playing.status(), playing.games), (pb::TableStatus::Playing, 1));
    for (player, expected) in [(&cy, "TABLE_FULL"), (&ada, "ALREADY_SEATED")] {
        let refused = caller.sit_down(player, &opened.table_id).await.expect_err("no seat");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, expected));
    }
    let table = game_at(&stand, &playing, [&ada, &ben]).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let game = caller.game(table.game_id).await;
    assert_eq!((game.match_id.as_str(), game.city_id.as_str(), game.stake.clone()), ("", "", None));
    assert_eq!((game.table_id.as_str(), game.rated), (opened.table_id.as_str(), true));
    assert_eq!(game.white_clock_ms, 181_000, "White's clock started with the game");
    // Without a stake a game is a game: the others hear of its end, and in which pool it counts.
    caller.resign(&table.white, table.game_id).await.expect("resigned");
    let ended = ended_event(&stand, &table).await;
    assert_eq!((ended.match_id.as_str(), ended.rating_pool.as_str()), ("", "table"));
    assert_eq!(caller.tables.clone().take_seat(ben.sign(seat)).await.expect("repeated").into_inner(), taken);
    let after = caller.tables.clone().get_table(pb::GetTableRequest { table_id: opened.table_id }).await;
    let after = after.expect("the table").into_inner().table.expect("a table");
    assert_eq!(after.status(), pb::TableStatus::BetweenGames);
}

// C06
#[tokio::test]
async fn crossing_offers_of_another_game_make_one_game_with_swapped_colours() {
    let stand = Stand::start("rematch").await;
    let caller = stand.caller();
    let (ada, ben) = (stand.player("Ada"), stand.player("Ben"));
    let table_id = caller.open(&ada, terms("table", BLITZ)).await.expect("opened").table_id;
    let early = caller.again(&ada, &table_id).await.expect_err("nobody is there");
    assert_eq!(reason(&early), "NO_REMATCH");
    let mut playing = caller.sit_down(&ben, &table_id).await.expect("a seat");
    let mut white = game_at(&stand, &playing, [&ada, &ben]).await.white.player_id;
    for round in 1..=4_i64 {
        let table = game_at(&stand, &playing, [&ada, &ben]).await;
        let running = caller.again(&ada, &table_id).await.expect_err("a game is running");
        assert_eq!(reason_metadata(&running, "game_id").as_deref(), Some(playing.game_id.as_str()));
        caller.resign(&table.white, table.game_id).await.expect("resigned");
        let (one, other) = (caller.clone(), stand.caller());
        let (first, second) = tokio::join!(one.again(&ada, &table_id), other.again(&ben, &table_id));
        let (first, second) = (first.expect("offered"), second.expect("offered"));
        // Whichever came first is an offer, and the other has agreed.
        let begun = if first.version > second.version { first } else { second };
        assert_eq!(begun.games, u32::try_from(round).expect("few") + 1);
        playing = begun;
        let next = game_at(&stand, &playing, [&ada, &ben]).await;
        assert_ne!(next.white.player_id, white, "colours are swapped");
        white = next.white.player_id;
        let games: i64 = sqlx::query_scalar("select count(*) from games where table_id = $1")
            .bind(Uuid::parse_str(&table_id).expect("an id"))
            .fetch_one(stand.pool())
            .await
            .expect("a count");
        assert_eq!(games, round + 1, "one new game, never two");
    }
}

#[tokio::test]
async fn a_games_stream_tells_of_offers_and_ends_with_the_next_game() {
    let stand = Stand::start("rematch_frames").await;
    let caller = stand.caller();
    let (ada, ben) = (stand.player("Ada"), stand.player("Ben"));
    let table_id = caller.open(&ada, terms("table", BLITZ)).await.expect("opened").table_id;
    let playing = caller.sit_down(&ben, &table_id).await.expect("a seat");
    let table = game_at(&stand, &playing, [&ada, &ben]).await;
    let mut stream = caller.watch(table.game_id, Some(0)).await.expect("a stream");
    caller.resign(&table.white, table.game_id).await.expect("resigned");
    let next = async |stream: &mut Streaming<pb::WatchGameResponse>| loop {
        let frame = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        match frame.expect("the stream is whole").map(|frame| frame.frame.expect("content")) {
            Some(Frame::Heartbeat(_) | Frame::Started(_) | Frame::Ended(_)) => {}
            other => return other,
        }
    };
    caller.again(&ada, &table_id).await.expect("offered");
    let offered = next(&mut stream).await;
    assert!(
        matches!(&offered, Some(Frame::RematchOffered(said)) if said.player_id == ada.player_id.to_string())
    );
    let own = caller.answer(&ada, &table_id, pb::RematchAnswer::Accept).await.expect_err("his own");
    assert_eq!(reason(&own), "NO_REMATCH_OFFER");
    caller.answer(&ben, &table_id, pb::RematchAnswer::Decline).await.expect("declined");
    assert!(matches!(next(&mut stream).await, Some(Frame::RematchDeclined(_))));
    caller.again(&ben, &table_id).await.expect("offered");
    assert!(matches!(next(&mut stream).await, Some(Frame::RematchOffered(_))));
    let begun = caller.answer(&ada, &table_id, pb::RematchAnswer::Accept).await.expect("accepted");
    let last = next(&mut stream).await;
    assert!(matches!(&last, Some(Frame::RematchBegun(said)) if said.game_id == begun.game_id), "{last:?}");
    assert_eq!(next(&mut stream).await, None, "a clean end");
}

#[tokio::test]
async fn leaving_the_table_loses_its_game_and_other_games_have_to_be_ended_first() {
    let stand = Stand::start("leaving").await;
    let caller = stand.caller();
    let (ada, ben) = (stand.player("Ada"), stand.player("Ben"));
    let table_id = caller.open(&ada, terms("table", None)).await.expect("opened").table_id;
    let playing = caller.sit_down(&ben, &table_id).await.expect("a seat");
    let table = game_at(&stand, &playing, [&ada, &ben]).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let stranger = caller.get_up(&stand.player("Eve"), &table_id).await.expect_err("not seated");
    assert_eq!((stranger.code(), reason(&stranger).as_str()), (Code::PermissionDenied, "NOT_SEATED"));
    let left = caller.get_up(&table.white, &table_id).await.expect("left");
    assert_eq!((left.status(), left.seats.len(), left.game_id.as_str()), (pb::TableStatus::Waiting, 1, ""));
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::LeftTable));
    // Who stayed waits for the next, and closes the table when he goes too.
    assert_eq!(caller.listed().await, [table_id.as_str()]);
    let closed = caller.get_up(&table.black, &table_id).await.expect("left");
    assert_eq!(closed.status(), pb::TableStatus::Closed);
    assert_eq!(reason(&caller.sit_down(&ada, &table_id).await.expect_err("closed")), "TABLE_CLOSED");
    assert!(caller.listed().await.is_empty());

    let friendly = caller.open(&ada, terms("match", None)).await.expect("opened").table_id;
    caller.sit_down(&ben, &friendly).await.expect("a seat");
    let refused = caller.get_up(&ada, &friendly).await.expect_err("a game is running");
    assert_eq!(reason(&refused), "GAME_RUNNING");
}

#[tokio::test]
async fn a_computer_at_the_table_takes_it_off_the_ratings_for_good() {
    let stand = Stand::start("computer").await;
    let caller = stand.caller();
    let (ada, ben, robot) = (stand.player("Ada"), stand.player("Ben"), stand.computer("Robot"));
    let table_id = caller.open(&ada, terms("table", BLITZ)).await.expect("opened").table_id;
    let playing = caller.sit_down(&robot, &table_id).await.expect("a seat");
    assert!(!playing.rated && playing.seats[1].computer && !playing.seats[0].computer);
    let table = game_at(&stand, &playing, [&ada, &robot]).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    assert!(!caller.game(table.game_id).await.rated);
    caller.get_up(&robot, &table_id).await.expect("left");
    assert_eq!(ended_event(&stand, &table).await.rating_pool, "");
    let people = caller.sit_down(&ben, &table_id).await.expect("a seat");
    assert!(!people.rated, "from then on");
    assert!(!caller.game(people.game_id.parse().expect("a game")).await.rated);
}

#[tokio::test]
async fn a_table_by_link_is_found_by_its_id_alone_and_followed_to_its_end() {
    let stand = Stand::start("by_link").await;
    let caller = stand.caller();
    let (ada, ben) = (stand.player("Ada"), stand.player("Ben"));
    let mut public = caller.follow("").await.expect("a stream");
    let Some(TableFrame::Snapshot(nothing)) = next_frame(&mut public).await else { panic!("a snapshot") };
    assert!(nothing.tables.is_empty());
    let by_link =
        pb::OpenTableRequest { visibility: pb::TableVisibility::ByLink as i32, ..terms("table", BLITZ) };
    let link = caller.open(&ada, by_link).await.expect("opened");
    let open = caller.open(&ada, terms("fide", BLITZ)).await.expect("opened");
    let Some(TableFrame::Changed(changed)) = next_frame(&mut public).await else { panic!("a change") };
    assert_eq!(changed.table, Some(open.clone()), "the one by link is not told");
    assert_eq!(caller.listed().await, [open.table_id.as_str()]);

    let mut one = caller.follow(&link.table_id).await.expect("a stream");
    let Some(TableFrame::Snapshot(snapshot)) = next_frame(&mut one).await else { panic!("a snapshot") };
    assert_eq!(snapshot.tables, std::slice::from_ref(&link));
    let playing = caller.sit_down(&ben, &link.table_id).await.expect("a seat");
    let Some(TableFrame::Changed(changed)) = next_frame(&mut one).await else { panic!("a change") };
    assert_eq!(changed.table, Some(playing.clone()));
    let table = game_at(&stand, &playing, [&ada, &ben]).await;
    caller.resign(&table.white, table.game_id).await.expect("resigned");
    let Some(TableFrame::Changed(changed)) = next_frame(&mut one).await else { panic!("a change") };
    assert_eq!(changed.table.expect("a table").status(), pb::TableStatus::BetweenGames);
    for player in [&ada, &ben] {
        caller.get_up(player, &link.table_id).await.expect("left");
    }
    let mut last = None;
    while let Some(frame) = next_frame(&mut one).await {
        last = Some(frame);
    }
    assert!(matches!(last, Some(TableFrame::Closed(closed)) if closed.table_id == link.table_id));
    let unknown = caller.follow(&new_id()).await.expect_err("no such table");
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "TABLE_UNKNOWN"));
}

#[tokio::test]
async fn an_untimed_rated_game_waits_three_minutes_for_who_went_and_for_who_never_came() {
    let stand = Stand::start("untimed_gone").await;
    let caller = stand.caller();
    let (ada, ben) = (stand.player("Ada"), stand.player("Ben"));
    let table_id = caller.open(&ada, terms("table", None)).await.expect("opened").table_id;
    let playing = caller.sit_down(&ben, &table_id).await.expect("a seat");
    let table = game_at(&stand, &playing, [&ada, &ben]).await;
    let black = caller.sit(&table.black, table.game_id).await;
    // White never comes. He is waited for half a minute before he counts as gone, and then three more.
    let gone = test_kit::eventually(PATIENCE, || async {
        stand.clock.advance(500);
        let game = caller.game(table.game_id).await;
        (game.white_gone_since_ms > 0).then_some(game)
    })
    .await;
    assert_eq!(gone.abandonment_at_ms, gone.white_gone_since_ms + 180_000);
    stand.clock.advance(gone.abandonment_at_ms - stand.now_ms() - 1);
    assert_eq!(caller.game(table.game_id).await.status(), pb::GameStatus::Live);
    stand.clock.advance(1);
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::Abandonment));
    drop(black);
}

#[tokio::test]
async fn a_host_sets_what_his_rule_set_leaves_to_him_and_nothing_else() {
    let stand = Stand::start("terms").await;
    let caller = stand.caller();
    let ada = stand.player("Ada");
    let by_claim = pb::OpenTableRequest {
        draws: pb::DrawsSetting::ByClaim as i32,
        lag_credit: pb::LagCreditSetting::On as i32,
        ..terms("match", BLITZ)
    };
    caller.open(&ada, by_claim.clone()).await.expect("opened");
    let rated = caller.open(&ada, pb::OpenTableRequest { rated: true, ..terms("fide", None) }).await;
    assert!(rated.expect("opened").rated);
    let new = |request: pb::OpenTableRequest| pb::OpenTableRequest { request_id: new_id(), ..request };
    let refused = [
        terms("city", BLITZ),
        terms("solo", BLITZ),
        terms("table", Some(TimeControl { base_ms: 60_000, increment_ms: 0 })),
        pb::OpenTableRequest { rule_set: "table".to_owned(), ..new(by_claim) },
        pb::OpenTableRequest { rated: true, ..terms("match", BLITZ) },
        pb::OpenTableRequest { host_color: 1, ..terms("table", BLITZ) },
    ];
    for request in refused {
        let refused = caller.open(&ada, request.clone()).await.expect_err("not allowed");
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::FailedPrecondition, "TERMS_NOT_ALLOWED"),
            "{request:?}"
        );
    }
    for _ in 0..3 {
        caller.open(&ada, terms("table", BLITZ)).await.expect("opened");
    }
    let sixth = caller.open(&ada, terms("table", BLITZ)).await.expect_err("five are enough");
    assert_eq!(reason(&sixth), "TOO_MANY_TABLES");
    let unsigned = caller.tables.clone().open_table(terms("table", BLITZ)).await.expect_err("no token");
    assert_eq!(unsigned.code(), Code::Unauthenticated);
}
