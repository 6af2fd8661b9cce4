//! All ratings once more, from the log (`RATING-4`). The log is read and decoded by a task of its own, while what it gave is played
//! through and written. In memory are a standing for each player and pool, a few pages of the log, and the changes that wait for
//! their turn; the latter go to the database when they are too many.

use event_store::{LOAD_ROWS_MAX, ScanPosition};
use sqlx::{PgConnection, PgPool};
use tokio::sync::mpsc;

use crate::app::book::Change;
use crate::app::log_check::LogCheck;
use crate::app::rebuild::{Difference, Replay, Waiting};
use crate::store::codec::{self, CodecError};
use crate::store::projection::{self, HistoryWriter};
use crate::store::spill::{self, SpillError, SpillPlace};

/// Pages of the log that are read ahead.
const PAGES_AHEAD_MAX: usize = 8;

/// Changes that wait for their turn in memory, at most. That is as many as there are games running at once, and corrections, which come
/// long after their game.
const WAITING_MAX: usize = 100_000;

/// How a rebuild goes about it.
#[derive(Debug, Clone, Copy)]
pub struct RebuildConfig {
    /// Changes that wait for their turn in memory.
    pub waiting_max: usize,
}

impl Default for RebuildConfig {
    fn default() -> Self {
        Self { waiting_max: WAITING_MAX }
    }
}

/// What a rebuild has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RebuildReport {
    /// Changes that were played through: games and corrections.
    pub changes: u64,
    /// Ratings that came out, one a player and pool.
    pub ratings: u64,
    /// How many of them had been stored otherwise, or not, or should not have been stored; none when all was well.
    pub differing: u64,
}

/// Why nothing was rebuilt. The stored ratings are as they were.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// The log does not give what it says; somebody has to look at it first.
    #[error(transparent)]
    Difference(#[from] Difference),
    /// What stands in the log is not ours.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

impl From<SpillError> for RebuildError {
    fn from(error: SpillError) -> Self {
        match error {
            SpillError::Store(error) => Self::Store(error),
            SpillError::Codec(error) => Self::Codec(error),
        }
    }
}

/// Computes every rating from the changes of the log, in the order in which they were made, checks each recorded number to the last
/// bit and replaces ratings and history by what comes out. Games that end meanwhile wait, and are rated on it.
///
/// # Errors
/// See [`RebuildError`].
pub async fn rebuild(pool: &PgPool, config: RebuildConfig) -> Result<RebuildReport, RebuildError> {
    let mut tx = pool.begin().await?;
    projection::lock(&mut tx).await?;
    let (read, mut pages) = mpsc::channel(PAGES_AHEAD_MAX);
    let reading = tokio::spawn(read_log(pool.clone(), read));
    let mut rebuilding = Rebuilding {
        replay: Replay::default(),
        waiting: Waiting::default(),
        history: HistoryWriter::begin(&mut tx).await?,
        has_spilled: false,
        config,
    };
    while let Some(page) = pages.recv().await {
        rebuilding.take(&mut tx, page?).await?;
    }
    reading.await.expect("reading the log does not panic");
    let report = rebuilding.finish(&mut tx).await?;
    tx.commit().await?;
    Ok(report)
}

/// Reads and decodes the log page by page, and sees that each stream is in order. Nothing is appended to it meanwhile: the rebuild
/// holds the lock.
async fn read_log(pool: PgPool, pages: mpsc::Sender<Result<Vec<Change>, RebuildError>>) {
    let mut position = ScanPosition::START;
    let mut check = LogCheck::default();
    loop {
        let page = read_page(&pool, &mut position, &mut check).await;
        let is_last = page.as_ref().map_or(true, Vec::is_empty);
        if pages.send(page).await.is_err() || is_last {
            return;
        }
    }
}

async fn read_page(
    pool: &PgPool,
    position: &mut ScanPosition,
    check: &mut LogCheck,
) -> Result<Vec<Change>, RebuildError> {
    let events = event_store::scan(pool, *position, LOAD_ROWS_MAX).await?;
    if let Some(last) = events.last() {
        *position = ScanPosition::after(last);
    }
    let mut changes = Vec::with_capacity(events.len());
    for event in &events {
        let change = codec::read(event)?;
        check.look(event.version, &change)?;
        changes.push(change);
    }
    Ok(changes)
}

/// A rebuild under way.
struct Rebuilding {
    replay: Replay,
    waiting: Waiting,
    history: HistoryWriter,
    has_spilled: bool,
    config: RebuildConfig,
}

impl Rebuilding {
    /// Plays through what can be, and keeps the rest until its turn comes.
    async fn take(&mut self, conn: &mut PgConnection, changes: Vec<Change>) -> Result<(), RebuildError> {
        for change in changes {
            let pool = change.pool();
            let mut next = self.waiting.offer(change, &self.replay)?;
            while let Some(change) = next {
                self.play(&change)?;
                next = self.waiting.next(pool, &self.replay);
            }
        }
        self.history.send_if_full(conn).await?;
        if self.waiting.len() > self.config.waiting_max {
            spill::put(conn, self.waiting.take()).await?;
            self.has_spilled = true;
        }
        Ok(())
    }

    async fn finish(mut self, conn: &mut PgConnection) -> Result<RebuildReport, RebuildError> {
        if self.has_spilled {
            spill::put(conn, self.waiting.take()).await?;
            spill::finish(conn).await?;
            let mut place = SpillPlace::default();
            loop {
                let page = spill::next_page(conn, &mut place).await?;
                if page.is_empty() {
                    break;
                }
                for change in page {
                    self.play(&change)?;
                }
                self.history.send_if_full(conn).await?;
            }
        }
        // What is left waits for a change that is nowhere.
        for change in self.waiting.take() {
            self.play(&change)?;
        }
        self.history.finish(conn).await?;
        let differing = projection::replace_ratings(conn, &self.replay).await?;
        let ratings = self.replay.books().iter().map(|book| book.standings().len() as u64).sum();
        Ok(RebuildReport { changes: self.replay.changes(), ratings, differing })
    }

    fn play(&mut self, change: &Change) -> Result<(), Difference> {
        let recomputed = self.replay.apply(change)?;
        self.history.write(&recomputed);
        Ok(())
    }
}
