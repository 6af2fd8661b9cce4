//! Lists of games.

use std::collections::HashSet;

use proto::game::v1 as pb;
use tonic::Code;

use crate::harness::{Stand, Table, bad_fields, proposal};

#[tokio::test]
async fn a_list_is_walked_page_by_page_newest_first_without_a_gap_or_a_repeat() {
    let stand = Stand::start("pages").await;
    let mut expected = Vec::new();
    for _ in 0..7 {
        expected.insert(0, stand.table().await.game_id.to_string());
        stand.clock.advance(10);
    }
    let mut seen = Vec::new();
    let mut request = pb::ListGamesRequest { page_size: 3, ..Default::default() };
    let mut sizes = Vec::new();
    loop {
        let page = stand.caller().list(request.clone()).await.expect("a page");
        sizes.push(page.games.len());
        seen.extend(page.games.into_iter().map(|game| game.game_id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
        if sizes.len() == 1 {
            // A game that begins meanwhile comes before the first page and shifts nothing.
            stand.table().await;
        }
    }
    assert_eq!((seen, sizes), (expected, vec![3, 3, 1]));
}

#[tokio::test]
async fn a_list_is_filtered_by_player_opponent_city_and_status() {
    let stand = Stand::start("filters").await;
    let (ada, ben, cy) = (stand.player("Ada"), stand.player("Ben"), stand.player("Cy"));
    let seat = |white: &crate::harness::Player, black: &crate::harness::Player| Table {
        white: white.clone(),
        black: black.clone(),
        ..stand.seats()
    };
    let games = [(seat(&ada, &ben), "lisbon"), (seat(&cy, &ada), "lisbon"), (seat(&ben, &ada), "porto")];
    for (table, city_id) in &games {
        let confirmed =
            proto::matchmaking::v1::MatchProposed { city_id: (*city_id).to_owned(), ..proposal(table) };
        stand.matchmaking.confirm(&confirmed).await;
        stand.begun(table).await;
    }
    stand.play(&games[1].0, "e2e4 e7e5", 100).await;
    stand.caller().resign(&cy, games[1].0.game_id).await.expect("resigned");
    let ids =
        |of: &[usize]| of.iter().map(|index| games[*index].0.game_id.to_string()).collect::<HashSet<_>>();
    let of = |player: &crate::harness::Player| player.player_id.to_string();
    let none = pb::ListGamesRequest::default;
    let cases = [
        (none(), vec![0, 1, 2]),
        (pb::ListGamesRequest { player_id: of(&ada), ..none() }, vec![0, 1, 2]),
        (pb::ListGamesRequest { player_id: of(&cy), ..none() }, vec![1]),
        (pb::ListGamesRequest { player_id: of(&ada), opponent_id: of(&ben), ..none() }, vec![0, 2]),
        (pb::ListGamesRequest { city_id: "porto".into(), ..none() }, vec![2]),
        (pb::ListGamesRequest { player_id: of(&ben), city_id: "lisbon".into(), ..none() }, vec![0]),
        (pb::ListGamesRequest { status: pb::GameStatus::Ended as i32, ..none() }, vec![1]),
        (
            pb::ListGamesRequest { player_id: of(&ada), status: pb::GameStatus::Live as i32, ..none() },
            vec![0, 2],
        ),
    ];
    for (request, expected) in cases {
        let page = stand.caller().list(request.clone()).await.expect("a page");
        let found: HashSet<String> = page.games.iter().map(|game| game.game_id.clone()).collect();
        assert_eq!((found, page.games.len()), (ids(&expected), expected.len()), "{request:?}");
    }
    let ended = pb::ListGamesRequest { status: pb::GameStatus::Ended as i32, ..none() };
    let row = stand.caller().list(ended).await.expect("a page").games.remove(0);
    assert_eq!((row.result(), row.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::Resignation));
    assert_eq!((row.plies, row.ended_at_ms > row.started_at_ms), (2, true));
}

#[tokio::test]
async fn a_list_is_filtered_by_result_and_by_when_the_games_started() {
    let stand = Stand::start("result_and_date").await;
    let start_ms = stand.now_ms();
    let mut games = Vec::new();
    for _ in 0..3 {
        let table = stand.table().await;
        stand.play(&table, "e2e4 e7e5", 100).await;
        games.push(table);
        stand.clock.advance(9_800);
    }
    stand.caller().resign(&games[0].white, games[0].game_id).await.expect("resigned");
    stand.caller().resign(&games[1].black, games[1].game_id).await.expect("resigned");
    let none = pb::ListGamesRequest::default;
    let won = |result: pb::GameResult| pb::ListGamesRequest { result: result as i32, ..none() };
    let of = games[0].black.player_id.to_string();
    let cases = [
        (won(pb::GameResult::BlackWins), vec![0]),
        (won(pb::GameResult::WhiteWins), vec![1]),
        (won(pb::GameResult::Draw), vec![]),
        (pb::ListGamesRequest { player_id: of, ..won(pb::GameResult::BlackWins) }, vec![0]),
        (pb::ListGamesRequest { started_from_ms: start_ms + 10_000, ..none() }, vec![1, 2]),
        (pb::ListGamesRequest { started_before_ms: start_ms + 10_000, ..none() }, vec![0]),
        (
            pb::ListGamesRequest {
                started_from_ms: start_ms + 10_000,
                started_before_ms: start_ms + 20_000,
                ..won(pb::GameResult::WhiteWins)
            },
            vec![1],
        ),
    ];
    for (request, expected) in cases {
        let listed = stand.caller().list(request.clone()).await.expect("a list");
        let listed: HashSet<String> = listed.games.into_iter().map(|game| game.game_id).collect();
        let expected = expected.iter().map(|index: &usize| games[*index].game_id.to_string()).collect();
        assert_eq!(listed, expected, "{request:?}");
    }
    let bad = pb::ListGamesRequest { result: 9, started_from_ms: -1, ..none() };
    let refused = stand.caller().list(bad).await.expect_err("malformed");
    assert_eq!(
        (refused.code(), bad_fields(&refused)),
        (Code::InvalidArgument, vec!["result".to_owned(), "started_from_ms".to_owned()])
    );
}

#[tokio::test]
async fn a_malformed_list_names_every_bad_field() {
    let stand = Stand::start("bad_lists").await;
    let caller = stand.caller();
    let bad = pb::ListGamesRequest {
        player_id: "x".into(),
        opponent_id: "y".into(),
        city_id: "z".repeat(65),
        status: 77,
        page_size: 101,
        page_token: "!".into(),
        ..Default::default()
    };
    let refused = caller.list(bad).await.expect_err("malformed");
    assert_eq!(refused.code(), Code::InvalidArgument);
    let fields = ["player_id", "opponent_id", "city_id", "status", "page_size", "page_token"];
    assert_eq!(bad_fields(&refused), fields);
    let alone = pb::ListGamesRequest { opponent_id: uuid::Uuid::new_v4().to_string(), ..Default::default() };
    assert_eq!(bad_fields(&caller.list(alone).await.expect_err("alone")), ["opponent_id"]);

    for _ in 0..2 {
        stand.table().await;
    }
    let first = pb::ListGamesRequest { page_size: 1, ..Default::default() };
    let page_token = caller.list(first.clone()).await.expect("a page").next_page_token;
    let other = pb::ListGamesRequest { city_id: "porto".into(), page_token, ..first };
    let refused = caller.list(other).await.expect_err("a token of another list");
    assert_eq!(bad_fields(&refused), ["page_token"]);
}
