//! What the log says of it all.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::ensure;
use sqlx::PgPool;
use uuid::Uuid;

use crate::sitting::{Followed, Played, Stream};

/// How long the last frames of all streams are waited for.
const LAST_FRAME_MAX: Duration = Duration::from_secs(10);

/// What the log and the streams say.
#[derive(Debug, Default)]
pub struct Audit {
    /// Moves that were acknowledged.
    pub acknowledged: usize,
    /// Those of them that the log has once.
    pub in_log_once: usize,
    /// Moves in the log.
    pub in_log: usize,
    /// Games that are over.
    pub ended: i64,
    /// How often a game stood still.
    pub stood_still: i64,
    /// Frames of all streams.
    pub frames: u64,
    /// Frames that did not follow the one before.
    pub gaps: usize,
    /// Frames that came again.
    pub repeats: usize,
    /// Streams that did not give as many events as the log has.
    pub short_streams: usize,
}

/// Compares what the players know with the log.
pub async fn of(pool: &PgPool, played: &[Played]) -> anyhow::Result<Audit> {
    let games: Vec<Uuid> = played.iter().map(|played| played.game_id).collect();
    let rows: Vec<(Uuid, i64, String, Vec<u8>)> =
        sqlx::query_as("select stream_id, version, type, metadata from events where stream_id = any($1)")
            .bind(&games)
            .fetch_all(pool)
            .await?;
    let mut audit = Audit::default();
    let mut moves: HashMap<Uuid, usize> = HashMap::new();
    let mut heads: HashMap<Uuid, u64> = HashMap::new();
    for (game_id, version, kind, metadata) in rows {
        let head = heads.entry(game_id).or_default();
        *head = (*head).max(u64::try_from(version)?);
        match kind.as_str() {
            "MovePlayed" => {
                audit.in_log += 1;
                let request_id = event_store::Metadata::from_bytes(&metadata)?.causation_id;
                *moves.entry(request_id).or_default() += 1;
            }
            "GameResumed" => audit.stood_still += 1,
            _ => {}
        }
    }
    let deadline = Instant::now() + LAST_FRAME_MAX;
    for sitting in played {
        audit.acknowledged += sitting.acknowledged.len();
        let once = |request_id: &&Uuid| moves.get(*request_id) == Some(&1);
        audit.in_log_once += sitting.acknowledged.iter().filter(once).count();
        let head = heads.get(&sitting.game_id).copied().unwrap_or(0);
        for followed in &sitting.followed {
            let stream = reached(followed, head, deadline).await;
            audit.frames += stream.frames;
            audit.gaps += stream.gaps;
            audit.repeats += stream.repeats;
            audit.short_streams += usize::from(stream.last < head);
        }
    }
    audit.ended = sqlx::query_scalar("select count(*) from games where game_id = any($1) and status <> 1")
        .bind(&games)
        .fetch_one(pool)
        .await?;
    Ok(audit)
}

/// What a stream has given once it has come to this place, or has not in time.
async fn reached(followed: &Followed, head: u64, deadline: Instant) -> Stream {
    loop {
        let stream = followed.so_far();
        if stream.last >= head || Instant::now() > deadline {
            return stream;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

impl Audit {
    /// Whether nothing was lost, doubled or ended.
    pub fn hold(&self) -> anyhow::Result<()> {
        ensure!(self.acknowledged > 0, "nobody moved");
        ensure!(
            self.in_log_once == self.acknowledged,
            "an acknowledged move is not in the log once: {self:?}"
        );
        ensure!(self.in_log == self.acknowledged, "the log has moves that nobody was told of: {self:?}");
        ensure!(self.ended == 0, "a game ended: {self:?}");
        ensure!((self.gaps, self.repeats) == (0, 0), "a stream was not whole: {self:?}");
        ensure!(self.short_streams == 0, "a stream did not give the whole log: {self:?}");
        ensure!(self.stood_still > 0, "no game ever changed hands: {self:?}");
        Ok(())
    }
}
