//! Replays and PGN.

use std::time::{Duration, Instant};

use proto::game::v1 as pb;
use tonic::Code;

use crate::{
    harness::{Stand, bad_fields, reason},
    lines,
};

#[tokio::test]
async fn a_replay_is_the_game_as_it_was_played() {
    let stand = Stand::start("replay").await;
    let table = stand.table().await;
    stand.play(&table, lines::OPERA, 1_000).await;
    let caller = stand.caller();
    let game = caller.game(table.game_id).await;
    let frames = caller.replay(table.game_id, pb::ReplayPace::AtOnce).await.expect("a replay");
    assert_eq!(frames.len(), 34);
    assert_eq!(frames[0].fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(frames[0].r#move.is_none());
    let moves: Vec<pb::Move> = frames.iter().filter_map(|frame| frame.r#move.clone()).collect();
    assert_eq!(moves, game.moves);
    let plies: Vec<u32> = frames.iter().map(|frame| frame.ply).collect();
    assert_eq!(plies, (0..=33).collect::<Vec<_>>());
    let last = frames.last().expect("frames");
    assert_eq!((last.result(), last.end_reason()), (pb::GameResult::WhiteWins, pb::EndReason::Checkmate));
    assert_eq!(last.fen, game.fen);
    assert!(frames[..33].iter().all(|frame| frame.result() == pb::GameResult::Unspecified));
}

#[tokio::test]
async fn a_replay_at_the_pace_of_the_game_takes_its_time() {
    let stand = Stand::start("paced").await;
    let table = stand.table().await;
    stand.play(&table, lines::FOOLS_MATE, 100).await;
    let began = Instant::now();
    let frames = stand.caller().replay(table.game_id, pb::ReplayPace::Original).await.expect("a replay");
    assert_eq!(frames.len(), 5);
    assert!(began.elapsed() >= Duration::from_millis(400), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_stop_ends_a_paced_replay_with_unavailable() {
    let mut stand = Stand::start("paced_stop").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 15_000).await;
    let request =
        pb::ReplayGameRequest { game_id: table.game_id.to_string(), pace: pb::ReplayPace::Original as i32 };
    let mut stream = stand.caller().client.replay_game(request).await.expect("a stream").into_inner();
    assert_eq!(stream.message().await.expect("a frame").map(|frame| frame.ply), Some(0));
    stand.ask_to_stop();
    assert_eq!(stream.message().await.expect_err("not a clean end").code(), Code::Unavailable);
    stand.stop().await.expect("a clean stop");
}

#[tokio::test]
async fn wrong_replays_are_refused() {
    let stand = Stand::start("bad_replays").await;
    let caller = stand.caller();
    let request = pb::ReplayGameRequest { game_id: "x".into(), pace: 9 };
    let malformed = caller.client.clone().replay_game(request).await.expect_err("malformed");
    assert_eq!(bad_fields(&malformed), ["game_id", "pace"]);
    let unknown =
        caller.replay(uuid::Uuid::now_v7(), pb::ReplayPace::AtOnce).await.expect_err("no such game");
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "GAME_UNKNOWN"));
    let unknown = caller.pgn(uuid::Uuid::now_v7()).await.expect_err("no such game");
    assert_eq!(reason(&unknown), "GAME_UNKNOWN");
}

#[tokio::test]
async fn a_pgn_has_tags_clocks_and_times() {
    let stand = Stand::start("pgn").await;
    let table = stand.table().await;
    stand.play(&table, lines::FOOLS_MATE, 1_500).await;
    let pgn = stand.caller().pgn(table.game_id).await.expect("a pgn");
    for tag in [
        "[Site \"Stakemate\"]",
        "[Date \"2025.10.09\"]",
        "[White \"Ada\"]",
        "[Black \"Ben\"]",
        "[Result \"0-1\"]",
        "[TimeControl \"180+2\"]",
    ] {
        assert!(pgn.contains(tag), "{tag} is missing in {pgn}");
    }
    let text: Vec<&str> = pgn.split_whitespace().collect();
    let text = text.join(" ");
    // The second move of Black: 182 s less 1.5 s plus 2 s, after 1.5 s.
    assert!(text.contains("2... Qh4# { [%clk 0:03:02.5] [%emt 0:00:01.5] } 0-1"), "{text}");
}
