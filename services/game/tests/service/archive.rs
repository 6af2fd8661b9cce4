//! Packed games: nobody can tell them from those in the live log, and the log can go.

use game::store::{archive, library};
use proto::game::v1 as pb;
use tonic::Code;
use uuid::Uuid;

use crate::{
    harness::{Stand, Table, reason},
    lines,
};

/// What everybody can see of a game.
async fn seen(
    stand: &Stand,
    game_id: Uuid,
) -> (pb::GetGameResponse, Vec<pb::ReplayGameResponse>, String, Vec<String>) {
    let caller = stand.caller();
    let game = caller.try_game(game_id).await.expect("the game is there");
    let replay = caller.replay(game_id, pb::ReplayPace::AtOnce).await.expect("a replay");
    let pgn = caller.pgn(game_id).await.expect("a pgn");
    let mut stream = caller.watch(game_id, Some(0)).await.expect("a stream");
    let mut frames = Vec::new();
    while let Some(mut frame) = stream.message().await.expect("a clean end") {
        frame.server_time_ms = 0;
        frames.push(format!("{frame:?}"));
    }
    (game, replay, pgn, frames)
}

async fn pack(stand: &Stand) {
    while archive::pack_ended(stand.pool()).await.expect("packing goes through").looked_at > 0 {}
}

/// Drops the month in which the test's games were made.
async fn drop_log(stand: &Stand) -> Result<i64, sqlx::Error> {
    // Waits for the relay: what is not published must not go.
    test_kit::eventually(crate::harness::PATIENCE, || async {
        let left: i64 = sqlx::query_scalar("select count(*) from outbox where published_at is null")
            .fetch_one(stand.pool())
            .await
            .expect("the outbox can be read");
        (left == 0).then_some(())
    })
    .await;
    sqlx::query_scalar(
        "select drop_packed_partition('events_' || to_char(now() at time zone 'utc', 'YYYY_MM'))",
    )
    .fetch_one(stand.pool())
    .await
}

async fn played_with_everything(stand: &Stand) -> Table {
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_234).await;
    stand.caller().offer(&table.white, table.game_id).await.expect("an offer");
    stand.caller().decline(&table.black, table.game_id).await.expect("declined");
    stand.play(&table, "g1f3", 777).await;
    stand.caller().resign(&table.black, table.game_id).await.expect("resigned");
    table
}

// GAME-14
#[tokio::test]
async fn a_packed_game_is_read_as_it_was_when_its_log_is_gone() {
    let stand = Stand::start("packed").await;
    let opera = stand.table().await;
    stand.play(&opera, lines::OPERA, 1_500).await;
    let other = played_with_everything(&stand).await;
    let mut before = Vec::new();
    for table in [&opera, &other] {
        before.push(seen(&stand, table.game_id).await);
    }
    pack(&stand).await;
    let dropped = drop_log(&stand).await.expect("everything is packed");
    assert_eq!(dropped, 35 + 7);
    for (table, before) in [&opera, &other].into_iter().zip(before) {
        let (game, replay, pgn, frames) = seen(&stand, table.game_id).await;
        assert_eq!(game.sequence, before.0.sequence);
        assert_eq!(game.game, before.0.game);
        assert_eq!((replay, pgn, frames), (before.1, before.2, before.3));
    }
    let late = stand.caller().resign(&opera.white, opera.game_id).await.expect_err("it is over");
    assert_eq!((late.code(), reason(&late).as_str()), (Code::FailedPrecondition, "GAME_OVER"));
}

#[tokio::test]
async fn a_log_with_a_game_that_is_being_played_cannot_be_dropped() {
    let stand = Stand::start("not_packed").await;
    let live = stand.table().await;
    let done = stand.table().await;
    stand.play(&done, lines::FOOLS_MATE, 100).await;
    pack(&stand).await;
    let refused = drop_log(&stand).await.expect_err("a game is live");
    assert!(refused.to_string().contains(&format!("game {} is not packed", live.game_id)), "{refused}");
    assert_eq!(stand.caller().game(live.game_id).await.status(), pb::GameStatus::Live);
}

// GAME-14
#[tokio::test]
async fn a_game_whose_stored_bytes_would_not_come_back_stays_in_the_log() {
    let stand = Stand::start("unfaithful").await;
    let table = stand.table().await;
    // A field that this version does not know, as a newer one might have written it.
    sqlx::query("update events set data = data || '\\xf80701'::bytea where stream_id = $1 and version = 1")
        .bind(table.game_id)
        .execute(stand.pool())
        .await
        .expect("the log is changed");
    stand.play(&table, lines::FOOLS_MATE, 100).await;
    pack(&stand).await;
    let packed: i64 = sqlx::query_scalar("select count(*) from archived_games")
        .fetch_one(stand.pool())
        .await
        .expect("the archive can be read");
    assert_eq!(packed, 0);
    assert!(drop_log(&stand).await.is_err());
}

#[tokio::test]
async fn a_file_is_imported_once_listed_and_exported_whole() {
    let stand = Stand::start("import").await;
    let text = "[Event \"Casual\"]\n[White \"Morphy\"]\n[Black \"Allies\"]\n[Date \"1858.11.02\"]\n[Result \"1-0\"]\n\
                [Opening \"Philidor\"]\n\n1. e4 e5 2. Nf3 d6 1-0\n\n[Event \"Bad\"]\n\n1. e5 *\n\n[Event \"Open\"]\n\n1. d4 *\n";
    let report = library::import(stand.pool(), text.as_bytes()).await.expect("an import");
    assert_eq!((report.added, report.known, report.refused.len(), report.refused[0].0), (2, 0, 1, 2));
    let again = library::import(stand.pool(), text.as_bytes()).await.expect("an import");
    assert_eq!((again.added, again.known), (0, 2));

    let request = pb::ListGamesRequest { city_id: "import".to_owned(), ..Default::default() };
    let listed = stand.caller().list(request).await.expect("a list").games;
    assert_eq!(listed.len(), 2);
    let morphy = &listed[1];
    assert_eq!((morphy.white.as_ref().expect("a player").name.as_str(), morphy.plies), ("Morphy", 4));
    let game_id: Uuid = morphy.game_id.parse().expect("an id");
    let game = stand.caller().game(game_id).await;
    assert_eq!((game.result(), game.moves.len()), (pb::GameResult::WhiteWins, 4));

    let mut file = String::new();
    let written = library::export(stand.pool(), |part| {
        file.push_str(part);
        Ok(())
    });
    assert_eq!(written.await.expect("an export"), 2);
    for part in ["[Opening \"Philidor\"]", "[Date \"1858.11.02\"]", "[Event \"Open\"]", "[Result \"*\"]"] {
        assert!(file.contains(part), "{part} is missing in {file}");
    }
    let read = domain_chess::pgn_import::Games::new(file.as_bytes()).filter(|game| matches!(game, Ok(Ok(_))));
    assert_eq!(read.count(), 2);
}
