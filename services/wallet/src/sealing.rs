//! Sealing the log in the background, and checking the seals (`WALLET-9`).

use std::time::Duration;

use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::chain::link;
use crate::store::seals::{self, ChainPlace, EventPlace, Seal};
use crate::telemetry;

/// How often is looked for what is to be sealed.
pub const SEAL_EVERY: Duration = Duration::from_millis(500);

/// How often the end of the chain goes to the log of the process: a copy that whoever rewrites the database cannot reach.
const ANCHOR_EVERY: Duration = Duration::from_secs(60);

/// The first thing that is wrong with the chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainDifference {
    /// The event is not what was sealed.
    #[error("stream {stream_id}, version {version}: the event is not what was sealed at position {position}")]
    Changed {
        /// Its stream.
        stream_id: Uuid,
        /// Its place there.
        version: i64,
        /// Its place in the chain.
        position: i64,
    },
    /// A sealed event is gone.
    #[error(
        "stream {stream_id}, version {version}: the event that was sealed at position {position} is gone"
    )]
    Gone {
        /// Its stream.
        stream_id: Uuid,
        /// Its place there.
        version: i64,
        /// Its place in the chain.
        position: i64,
    },
    /// A link is missing.
    #[error("the seal at position {position} is gone")]
    SealGone {
        /// Where.
        position: i64,
    },
    /// An event came into the log, or left it, by another way than the wallet's.
    #[error("stream {stream_id}, version {version}: neither sealed nor waiting to be, or gone before it was")]
    Outside {
        /// Its stream.
        stream_id: Uuid,
        /// Its place there.
        version: i64,
    },
}

/// Seals what is noted, at most one page, and answers how much that was. Nothing when another process is at it.
///
/// # Errors
/// When the database does not do it; then nothing was sealed.
pub async fn seal_page(pool: &PgPool) -> Result<usize, sqlx::Error> {
    let mut tx = pool.begin().await?;
    if !seals::try_lead(&mut tx).await? {
        return Ok(0);
    }
    let mut place = seals::head(&mut *tx).await?;
    let events = seals::unsealed(&mut tx).await?;
    if events.is_empty() {
        return Ok(0);
    }
    let mut links = Vec::with_capacity(events.len());
    for event in &events {
        place = ChainPlace { position: place.position + 1, link: link(&place.link, event) };
        links.push((EventPlace { stream_id: event.stream_id, version: event.version }, place));
    }
    seals::seal(&mut tx, &links).await?;
    tx.commit().await?;
    Ok(links.len())
}

/// Seals everything that is noted.
///
/// # Errors
/// When the database does not do it.
pub async fn seal_all(pool: &PgPool) -> Result<usize, sqlx::Error> {
    let mut sealed = 0;
    loop {
        match seal_page(pool).await? {
            0 => return Ok(sealed),
            page => sealed += page,
        }
    }
}

/// Seals until `shutdown`.
pub async fn run(pool: PgPool, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(SEAL_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut anchored_at = tokio::time::Instant::now();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        match seal_all(&pool).await {
            Ok(sealed) => metrics::counter!(telemetry::SEALED).increment(sealed as u64),
            Err(error) => tracing::warn!(%error, "the log could not be sealed"),
        }
        if anchored_at.elapsed() >= ANCHOR_EVERY {
            anchored_at = tokio::time::Instant::now();
            anchor(&pool).await;
        }
    }
}

async fn anchor(pool: &PgPool) {
    match seals::head(pool).await {
        Ok(head) => tracing::info!(position = head.position, link = %hex(&head.link), "log sealed"),
        Err(error) => tracing::warn!(%error, "the end of the chain cannot be read"),
    }
}

/// Checks one page of the chain behind `place` and answers where it ends; the same place at the end of the chain.
///
/// # Errors
/// When the database does not answer; a difference is an answer.
pub async fn check_page(
    conn: &mut PgConnection,
    place: ChainPlace,
) -> Result<Result<ChainPlace, ChainDifference>, sqlx::Error> {
    let page = seals::page(conn, place.position).await?;
    Ok(page.iter().try_fold(place, follow))
}

/// Checks that every event is in the chain, or waits to be.
///
/// # Errors
/// When the database does not answer; a difference is an answer.
pub async fn check_coverage(conn: &mut PgConnection) -> Result<Result<(), ChainDifference>, sqlx::Error> {
    let outside = seals::outside(conn).await?;
    Ok(outside.map_or(Ok(()), |EventPlace { stream_id, version }| {
        Err(ChainDifference::Outside { stream_id, version })
    }))
}

fn follow(before: ChainPlace, seal: &Seal) -> Result<ChainPlace, ChainDifference> {
    let position = before.position + 1;
    if seal.place.position != position {
        return Err(ChainDifference::SealGone { position });
    }
    let EventPlace { stream_id, version } = seal.of;
    let Some(event) = &seal.event else {
        return Err(ChainDifference::Gone { stream_id, version, position });
    };
    if link(&before.link, event) != seal.place.link {
        return Err(ChainDifference::Changed { stream_id, version, position });
    }
    Ok(seal.place)
}

/// A link as people read it.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
