//! The rest of P4: what was acknowledged when the service was killed, against what is in its log.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prost::Message as _;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::{MovePlayed, PlayMoveRequest};
use tokio::task::JoinSet;
use tonic::Request;
use tonic::transport::Channel;
use uuid::Uuid;

use crate::decisions;
use crate::figure::{Figure, Goal};
use crate::load::{Plan, Seated};
use crate::stand::{Stand, Way};

const KILLS: usize = 3;
const GAMES: usize = 50;
const CHANNELS: usize = 4;
/// How long the games run before the kill: enough for some thousand moves, and no game is over by then.
const RUNS_FOR: Duration = Duration::from_millis(400);

/// A game, the number of a half-move and the move.
type Acknowledged = (Uuid, u32, String);

/// Kills the service in the middle of games, some times, and looks for moves that are gone. It runs again afterwards.
pub async fn measure(stand: &mut Stand) -> anyhow::Result<Figure> {
    let (mut acknowledged, mut lost) = (0, 0);
    for _ in 0..KILLS {
        let told = run_and_kill(stand).await?;
        let games: Vec<Uuid> =
            told.iter().map(|(game_id, ..)| *game_id).collect::<HashSet<_>>().into_iter().collect();
        let stored = stored(stand, &games).await?;
        acknowledged += told.len();
        lost += told.iter().filter(|told| !stored.contains(*told)).count();
        stand.start_service().await?;
    }
    Ok(Figure {
        id: "P4",
        name: format!(
            "acknowledged moves lost to {KILLS} kills of the service in the middle of {GAMES} games"
        ),
        value: lost as f64,
        unit: "moves",
        goal: Goal::AtMost(0.0),
        n: acknowledged,
    })
}

async fn run_and_kill(stand: &mut Stand) -> anyhow::Result<Vec<Acknowledged>> {
    let plan = Plan { games: GAMES, think: Duration::ZERO, plies: decisions::PLIES };
    let channels = stand.channels(Way::Straight, CHANNELS)?;
    let told: Arc<Mutex<Vec<Acknowledged>>> = Arc::default();
    let mut tasks = JoinSet::new();
    for (seated, number) in stand.seat(plan).await?.into_iter().zip(0..) {
        let client = GameServiceClient::new(channels[number % CHANNELS].clone());
        tasks.spawn(play_until_refused(client, seated, told.clone()));
    }
    tokio::time::sleep(RUNS_FOR).await;
    stand.kill_service();
    while let Some(played) = tasks.join_next().await {
        played??;
    }
    let told = std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
    anyhow::ensure!(!told.is_empty(), "no move was acknowledged before the kill");
    Ok(told)
}

/// Plays both sides and notes what is acknowledged, until the service is gone.
async fn play_until_refused(
    mut client: GameServiceClient<Channel>,
    seated: Seated,
    told: Arc<Mutex<Vec<Acknowledged>>>,
) -> anyhow::Result<()> {
    for (uci, ply) in seated.line.iter().zip(0_u32..) {
        let player = if ply % 2 == 0 { &seated.white } else { &seated.black };
        let mut request = Request::new(PlayMoveRequest {
            request_id: Uuid::new_v4().to_string(),
            game_id: seated.game_id.to_string(),
            uci: uci.to_string(),
            expected_ply: ply,
        });
        request.metadata_mut().insert("authorization", player.bearer.parse()?);
        if client.play_move(request).await.is_err() {
            return Ok(());
        }
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push((seated.game_id, ply + 1, uci.to_string()));
    }
    Ok(())
}

async fn stored(stand: &Stand, games: &[Uuid]) -> anyhow::Result<HashSet<Acknowledged>> {
    let rows: Vec<(Uuid, Vec<u8>)> = sqlx::query_as(
        "select stream_id, data from events where stream_id = any($1) and type = 'MovePlayed'",
    )
    .bind(games)
    .fetch_all(&stand.pool)
    .await?;
    let read = rows.into_iter().map(|(game_id, data)| {
        let played = MovePlayed::decode(data.as_slice())?;
        Ok((game_id, played.ply, played.uci))
    });
    read.collect()
}
