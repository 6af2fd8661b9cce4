//! Moves at the board: each player watches the game and moves when he has seen the other's move.

use anyhow::{Context as _, bail, ensure};
use proto::game::v1::watch_game_response::Frame;
use proto::game::v1::{EndedFrame, PlayMoveRequest, WatchGameRequest, WatchGameResponse};
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

use super::player::{PATIENCE, PAUSE, Player, is_passing, patiently};

/// How far a watcher has seen a game.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Sequence of the last frame.
    pub sequence: Option<u64>,
    /// The moves in UCI notation.
    pub moves: Vec<String>,
    /// The end, once it has come.
    pub ended: Option<EndedFrame>,
}

/// Watches a game from its first event to its last. A lost connection is taken up where it broke; a gap or a repeat is an
/// error.
pub async fn watch_game(player: Player, game_id: String, seen: watch::Sender<Seen>) -> anyhow::Result<()> {
    let mut deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let resume_after = Some(seen.borrow().sequence.unwrap_or(0));
        let request = WatchGameRequest { game_id: game_id.clone(), resume_after };
        match player.games().watch_game(player.request(request)).await {
            Ok(answer) => {
                let mut frames = answer.into_inner();
                while let Ok(Some(frame)) = frames.message().await {
                    deadline = Instant::now() + PATIENCE;
                    see(&seen, frame)?;
                    if seen.borrow().ended.is_some() {
                        return Ok(());
                    }
                }
            }
            Err(status) if is_passing(&status) => {}
            Err(status) => bail!("{} cannot watch: {}", player.name(), status.message()),
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("{} saw nothing of the game for {} s", player.name(), PATIENCE.as_secs())
}

fn see(seen: &watch::Sender<Seen>, response: WatchGameResponse) -> anyhow::Result<()> {
    let frame = response.frame.context("a frame without content")?;
    if matches!(frame, Frame::Heartbeat(_) | Frame::Draining(_)) {
        return Ok(());
    }
    let expected = seen.borrow().sequence.unwrap_or(0) + 1;
    ensure!(response.sequence == expected, "frame {} came where {expected} was due", response.sequence);
    seen.send_modify(|seen| {
        seen.sequence = Some(response.sequence);
        match frame {
            Frame::Move(played) => seen.moves.push(played.uci),
            Frame::Ended(ended) => seen.ended = Some(ended),
            _ => {}
        }
    });
    Ok(())
}

/// Plays every move of one colour's share, each when the position before it has been seen.
pub async fn play_moves(
    player: Player,
    game_id: String,
    share: Vec<(u32, &'static str)>,
    mut seen: watch::Receiver<Seen>,
) -> anyhow::Result<()> {
    for (ply, uci) in share {
        let before = ply as usize - 1;
        seen.wait_for(|seen| seen.moves.len() >= before).await.context("the watcher stopped")?;
        let request = PlayMoveRequest {
            request_id: Uuid::new_v4().to_string(),
            game_id: game_id.clone(),
            uci: uci.to_owned(),
            expected_ply: ply - 1,
        };
        let answer = patiently("play a move", || {
            let (mut games, request) = (player.games(), player.request(request.clone()));
            async move { games.play_move(request).await }
        })
        .await?
        .into_inner();
        let played = answer.r#move.context("a move was acknowledged without the move")?;
        ensure!(played.ply == ply && played.uci == uci, "played {uci}, stored {}", played.uci);
    }
    Ok(())
}

/// One colour's moves with their plies; `first` is 1 for White and 2 for Black.
pub fn share(moves: &[&'static str], first: u32) -> Vec<(u32, &'static str)> {
    (1..).zip(moves.iter().copied()).filter(|(ply, _)| ply % 2 == first % 2).collect()
}
