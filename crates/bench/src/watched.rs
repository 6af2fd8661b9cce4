//! P5 with streams: what a live game takes with both players and somebody else looking on.

use std::time::Duration;

use proto::game::v1::WatchGameRequest;
use proto::game::v1::game_service_client::GameServiceClient;
use tonic::transport::Channel;
use tonic::{Request, Streaming};

use crate::cpu;
use crate::figure::{Figure, Goal};
use crate::stand::{Player, Stand, Way};

/// The memory of the first games holds what all of them share.
const GAMES_BEFORE: usize = 1_000;
const GAMES_COUNTED: usize = 2_000;
/// A connection carries a bounded number of streams.
const GAMES_PER_CHANNEL: usize = 50;
const GAME_BYTES_MAX: f64 = 24.0 * 1024.0;
const SETTLING: Duration = Duration::from_millis(1_500);

/// Measures on a service that has just started.
pub async fn measure(stand: &mut Stand) -> anyhow::Result<Figure> {
    let channels =
        stand.channels(Way::Straight, (GAMES_BEFORE + GAMES_COUNTED).div_ceil(GAMES_PER_CHANNEL))?;
    let mut open = Vec::new();
    for number in 0..GAMES_BEFORE {
        open.push(watched(stand, &channels[number / GAMES_PER_CHANNEL]).await?);
    }
    let pid = stand.service_pid()?;
    tokio::time::sleep(SETTLING).await;
    let before = cpu::resident_bytes(pid);
    for number in GAMES_BEFORE..GAMES_BEFORE + GAMES_COUNTED {
        open.push(watched(stand, &channels[number / GAMES_PER_CHANNEL]).await?);
    }
    tokio::time::sleep(SETTLING).await;
    let bytes = cpu::resident_bytes(pid).saturating_sub(before);
    Ok(Figure {
        id: "P5",
        name: format!(
            "memory of a live game with both players and one more watching, beyond the first {GAMES_BEFORE}"
        ),
        value: bytes as f64 / GAMES_COUNTED as f64,
        unit: "bytes",
        goal: Goal::AtMost(GAME_BYTES_MAX),
        n: GAMES_COUNTED,
    })
}

type Watching = [Streaming<proto::game::v1::WatchGameResponse>; 3];

/// A long game, its two players and a stranger.
async fn watched(stand: &Stand, channel: &Channel) -> anyhow::Result<Watching> {
    let (white, black) = (stand.player("white")?, stand.player("black")?);
    let game_id = stand.new_long_game(&white, &black).await?;
    let watch = async |player: Option<&Player>| -> anyhow::Result<_> {
        let mut request = Request::new(WatchGameRequest { game_id: game_id.to_string(), resume_after: None });
        if let Some(player) = player {
            request.metadata_mut().insert("authorization", player.bearer.parse()?);
        }
        let mut stream = GameServiceClient::new(channel.clone()).watch_game(request).await?.into_inner();
        stream.message().await?;
        Ok(stream)
    };
    Ok([watch(Some(&white)).await?, watch(Some(&black)).await?, watch(None).await?])
}
