//! Watching a game: whoever comes, whenever, sees every frame once and in order.

use anyhow::{Context as _, ensure};
use end_to_end::player::Player;
use end_to_end::stack::Stack;
use end_to_end::table::{PATIENCE, Table};
use proto::game::v1::watch_game_response::Frame;
use proto::game::v1::{GameStatus, WatchGameRequest, WatchGameResponse};
use tonic::{Code, Streaming};

/// Thirty-three plies that end in mate: Morphy's game at the opera, Paris 1858.
const OPERA_GAME: &[&str] = &[
    "e2e4", "e7e5", "g1f3", "d7d6", "d2d4", "c8g4", "d4e5", "g4f3", "d1f3", "d6e5", "f1c4", "g8f6", "f3b3",
    "d8e7", "b1c3", "c7c6", "c1g5", "b7b5", "c3b5", "c6b5", "c4b5", "b8d7", "e1c1", "a8d8", "d1d7", "d8d7",
    "h1d1", "e7e6", "b5d7", "f6d7", "b3b8", "d7b8", "d1d8",
];

async fn watch(
    player: &Player,
    game_id: &str,
    resume_after: Option<u64>,
) -> Result<Streaming<WatchGameResponse>, tonic::Status> {
    let request = WatchGameRequest { game_id: game_id.to_owned(), resume_after };
    Ok(player.games().watch_game(request).await?.into_inner())
}

/// Reads frames until the last one, or until `enough`; heartbeats are left out.
async fn read(
    frames: &mut Streaming<WatchGameResponse>,
    enough: impl Fn(&WatchGameResponse) -> bool,
) -> anyhow::Result<Vec<WatchGameResponse>> {
    let mut read = Vec::new();
    let all = async {
        while let Some(frame) = frames.message().await? {
            if matches!(frame.frame, Some(Frame::Heartbeat(_))) {
                continue;
            }
            let is_last = matches!(frame.frame, Some(Frame::Ended(_))) || enough(&frame);
            read.push(frame);
            if is_last {
                return anyhow::Ok(());
            }
        }
        Ok(())
    };
    tokio::time::timeout(PATIENCE, all).await.context("the frames did not come")??;
    Ok(read)
}

/// What a frame says, without the moment at which it was sent.
fn content(frames: &[WatchGameResponse]) -> Vec<(u64, Option<Frame>)> {
    frames.iter().map(|frame| (frame.sequence, frame.frame.clone())).collect()
}

#[tokio::test]
async fn three_watchers_see_the_same_frames_without_a_gap_or_a_repeat() -> anyhow::Result<()> {
    let stack = Stack::shared();
    let table = Table::new(stack).await?;
    let stranger = Player::sign_up(stack).await?;

    let mut from_the_start = watch(&table.white, &table.game_id, Some(0)).await?;
    let mut dropped = watch(&table.black, &table.game_id, Some(0)).await?;
    table.play_all(&OPERA_GAME[..10]).await?;

    // The second watcher reads a few frames, loses the connection, and takes up where it broke.
    let before_the_drop = read(&mut dropped, |frame| frame.sequence == 7).await?;
    drop(dropped);
    for (ply, uci) in (11..).zip(&OPERA_GAME[10..20]) {
        table.play(ply, uci).await?;
    }
    let mut resumed = watch(&table.black, &table.game_id, Some(7)).await?;

    // The third has no part in the game and comes at ply 20: a snapshot, then what follows.
    let mut joined = watch(&stranger, &table.game_id, None).await?;
    for (ply, uci) in (21..).zip(&OPERA_GAME[20..]) {
        table.play(ply, uci).await?;
    }

    let whole = read(&mut from_the_start, |_| false).await?;
    let sequences: Vec<u64> = whole.iter().map(|frame| frame.sequence).collect();
    let expected: Vec<u64> = (1..=sequences.len() as u64).collect();
    assert_eq!(sequences, expected, "contiguous from the first event to the last");
    assert_eq!(whole.len(), 1 + OPERA_GAME.len() + 1, "the start, every move, the end");

    let mut taken_up = before_the_drop;
    taken_up.extend(read(&mut resumed, |_| false).await?);
    assert_eq!(content(&taken_up), content(&whole));

    let late = read(&mut joined, |_| false).await?;
    let snapshot = late.first().context("a snapshot comes first")?;
    let Some(Frame::Snapshot(game)) = &snapshot.frame else {
        anyhow::bail!("the first frame is no snapshot")
    };
    ensure!(game.moves.len() as u64 == snapshot.sequence - 1, "the snapshot is of its sequence");
    let skipped = usize::try_from(snapshot.sequence)?;
    assert_eq!(content(&late[1..]), content(&whole[skipped..]));
    Ok(())
}

#[tokio::test]
async fn a_watcher_who_asks_beyond_the_log_is_told_so_and_one_after_the_end_gets_all_of_it()
-> anyhow::Result<()> {
    let stack = Stack::shared();
    let table = Table::new(stack).await?;
    table.play_all(&["e2e4", "e7e5"]).await?;
    let mut beyond = watch(&table.white, &table.game_id, Some(1_000_000_000)).await;
    if let Ok(frames) = &mut beyond {
        let status = frames.message().await.expect_err("there is nothing beyond the log");
        assert_eq!(status.code(), Code::OutOfRange);
    } else {
        assert_eq!(beyond.expect_err("refused").code(), Code::OutOfRange);
    }
    table.white_resigns().await?;
    let mut late = watch(&table.white, &table.game_id, None).await?;
    let first = read(&mut late, |_| true).await?;
    let Some(Frame::Snapshot(game)) = &first[0].frame else { anyhow::bail!("no snapshot") };
    assert_eq!(game.status(), GameStatus::Ended);
    let mut from_the_start = watch(&table.white, &table.game_id, Some(0)).await?;
    let whole = read(&mut from_the_start, |_| false).await?;
    assert_eq!(whole.len(), 4, "start, two moves, end");
    Ok(())
}
