//! The caller's balances, whenever they change.

use std::time::Duration;

use futures::stream;
use proto::wallet::v1::watch_balance_response::Frame;
use proto::wallet::v1::{
    BalanceDraining, BalanceHeartbeat, BalancesFrame, WatchBalanceRequest, WatchBalanceResponse,
};
use service_kit::auth::principal;
use service_kit::status::from_sqlx;
use service_kit::streams::{FrameStream, Live, Pulse};
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{convert, status};
use crate::app::unix_ms;
use crate::store::{balances, statement};

/// How often is looked whether something has changed: one probe of an index. Whoever changed it may be another process.
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub(super) async fn handle(
    pool: &PgPool,
    shutdown: &CancellationToken,
    request: &Request<WatchBalanceRequest>,
) -> Result<Response<FrameStream<WatchBalanceResponse>>, Status> {
    let caller = principal(request)?;
    status::check_account(pool, caller.player_id).await?;
    let resume_after = request.get_ref().resume_after.and_then(|sequence| i64::try_from(sequence).ok());
    let watch = Watch { pool: pool.clone(), player_id: caller.player_id, seen: resume_after, looks: 0 };
    let frames = stream::unfold(watch, |mut watch| async move {
        let frame = watch.next().await;
        Some((frame, watch))
    });
    let pulse = Heart { sequence: resume_after.map_or(0, i64::cast_unsigned) };
    Ok(Response::new(Live::new(frames, pulse, shutdown.clone()).until(caller.expires_at).boxed()))
}

struct Watch {
    pool: PgPool,
    player_id: Uuid,
    /// The line after which nothing has changed for the client.
    seen: Option<i64>,
    looks: u64,
}

impl Watch {
    /// The next frame with balances. The line is read first: what is newer than it is told once more, never left out.
    async fn next(&mut self) -> Result<WatchBalanceResponse, Status> {
        loop {
            if self.looks > 0 {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            self.looks += 1;
            let line = statement::last_line(&self.pool, self.player_id).await;
            let line = line.map_err(|error| from_sqlx(&error))?;
            if self.seen == Some(line) {
                continue;
            }
            self.seen = Some(line);
            let rows = balances::list(&self.pool, self.player_id).await.map_err(|error| from_sqlx(&error))?;
            let balances = rows.into_iter().map(convert::balance).collect();
            return Ok(frame(line.cast_unsigned(), Frame::Balances(BalancesFrame { balances })));
        }
    }
}

fn frame(sequence: u64, frame: Frame) -> WatchBalanceResponse {
    let server_time_ms = unix_ms(OffsetDateTime::now_utc());
    WatchBalanceResponse { sequence, server_time_ms, frame: Some(frame) }
}

/// What keeps the stream alive between changes.
struct Heart {
    sequence: u64,
}

impl Pulse<WatchBalanceResponse> for Heart {
    fn sent(&mut self, frame: &WatchBalanceResponse) {
        self.sequence = frame.sequence;
    }

    fn heartbeat(&mut self) -> WatchBalanceResponse {
        frame(self.sequence, Frame::Heartbeat(BalanceHeartbeat {}))
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> WatchBalanceResponse {
        frame(self.sequence, Frame::Draining(BalanceDraining { reconnect_after_ms }))
    }
}
