//! Workers: each claims a job, has it analysed, and finishes it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain_fairplay::Color;
use event_store::{AppendError, CommitSignal};
use sqlx::PgPool;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uci::Pool;

use super::analysis::{self, Analysed, AnalysisError, FinishedGame, Remedy};
use super::asking::Memory;
use super::claim_keeper::ClaimKeeper;
use super::engines;
use super::second_pass::search_again;
use super::settings::{AnalysisSettings, CAUSE_CHARS_MAX};
use crate::metrics::{ANALYSIS_SECONDS, FAILURES, PARKED};
use crate::store::analyses::{self, FinishError, Finished, FirstPass, Progress, SecondPass};
use crate::store::analysis_log::AnalysisLog;
use crate::store::jobs::{self, Claim};
use crate::store::{analysis_log, report};

/// The pause after the database has failed a worker.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

/// What the workers share.
#[derive(Debug, Clone)]
pub struct Workers {
    /// The queue.
    pub pool: PgPool,
    /// The limits.
    pub settings: AnalysisSettings,
    /// Wakes the relay after a commit.
    pub signal: CommitSignal,
    /// Wakes a worker when a job was queued.
    pub wake: Arc<Notify>,
    /// Stops them; what is being done then is handed back.
    pub shutdown: CancellationToken,
}

impl Workers {
    /// Waits for an engine and then works until the shutdown, one job an engine at a time.
    pub async fn run(self) {
        let Some(engines) = engines::start(&self.settings, &self.shutdown).await else { return };
        let mut workers = JoinSet::new();
        for _ in 0..self.settings.engines {
            workers.spawn(Worker { shared: self.clone(), engines: engines.clone() }.run());
        }
        while let Some(ended) = workers.join_next().await {
            if let Err(error) = ended
                && error.is_panic()
            {
                // The watch over this task has to see it.
                std::panic::resume_unwind(error.into_panic());
            }
        }
        engines.close();
    }
}

/// What a worker does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Look for another job at once.
    Another,
    /// There is nothing to do.
    Idle,
    /// The engine is away.
    AwaitEngine,
}

struct Worker {
    shared: Workers,
    engines: Pool,
}

impl Worker {
    async fn run(self) {
        let shared = &self.shared;
        while !shared.shutdown.is_cancelled() {
            let next = self.step().await;
            let pause = match &next {
                Ok(Next::Another) => continue,
                Ok(Next::Idle) => shared.settings.poll_interval,
                Ok(Next::AwaitEngine) => shared.settings.engine_delay,
                Err(error) => {
                    tracing::warn!(
                        error = error as &dyn std::error::Error,
                        "the analysis queue is unavailable"
                    );
                    DATABASE_PAUSE
                }
            };
            let is_idle = matches!(next, Ok(Next::Idle));
            tokio::select! {
                () = shared.shutdown.cancelled() => return,
                () = shared.wake.notified(), if is_idle => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Takes the next job, if there is one, to whatever end. Only the analysis itself is interrupted by a stop; what is
    /// written is written whole.
    async fn step(&self) -> Result<Next, FinishError> {
        let shared = &self.shared;
        let Some(claim) = jobs::claim(&shared.pool, shared.settings.claim_time).await? else {
            return Ok(Next::Idle);
        };
        // One call wakes one worker; there may be work for the next.
        shared.wake.notify_one();
        let log = analysis_log::read(&shared.pool, claim.game_id).await?;
        let span =
            tracing::info_span!("analyse_game", game_id = %claim.game_id, attempt = claim.attempts + 1);
        log.queued.continue_trace(&span);
        self.work_on(&claim, &log).instrument(span).await
    }

    async fn work_on(&self, claim: &Claim, log: &AnalysisLog) -> Result<Next, FinishError> {
        let shared = &self.shared;
        if claim.claims_lost > shared.settings.claims_lost_max {
            let cause = format!("{} workers died over it", claim.claims_lost);
            return self.park(claim, log, &cause).await;
        }
        let game = match log.game() {
            Ok(game) => game,
            Err(error) => return self.park(claim, log, &error.to_string()).await,
        };
        let started = Instant::now();
        let keeper = ClaimKeeper::start(shared.pool.clone(), *claim, shared.settings.claim_time);
        let analysed = tokio::select! {
            analysed = self.analyse(claim, &game) => analysed,
            () = keeper.lost() => {
                tracing::warn!("another worker has taken the job over");
                return Ok(Next::Another);
            }
            () = shared.shutdown.cancelled() => {
                jobs::hand_back(&shared.pool, claim).await?;
                tracing::info!("handed back at the stop");
                return Ok(Next::Idle);
            }
        };
        match analysed {
            Ok(analysed) => self.complete(claim, log, &game, &analysed, started).await,
            Err(error) => self.failed(claim, log, &error).await,
        }
    }

    /// The pass that the claim is for; the second one begins with the report of the first.
    async fn analyse(&self, claim: &Claim, game: &FinishedGame) -> Result<Analysed, AnalysisError> {
        let settings = &self.shared.settings;
        let memory = Memory::Database(&self.shared.pool);
        let Some(player_id) = claim.second_pass_of else {
            return analysis::analyse(&self.engines, settings.search, &settings.calibration, game, memory)
                .await;
        };
        let standing = analyses::find(&self.shared.pool, claim.game_id).await?;
        let Some(Progress::Ready(first)) = standing.map(|standing| standing.progress) else {
            return Err(AnalysisError::NoFirstPass);
        };
        let search = settings.second_search;
        let again = (first.as_ref(), player_id);
        search_again(&self.engines, search, &settings.calibration, game, again, memory).await
    }

    async fn complete(
        &self,
        claim: &Claim,
        log: &AnalysisLog,
        game: &FinishedGame,
        analysed: &Analysed,
        started: Instant,
    ) -> Result<Next, FinishError> {
        let (pool, calibration) = (&self.shared.pool, self.shared.settings.calibration.as_ref());
        let second_pass_stake = self.shared.settings.second_pass_stake;
        let finished = match claim.second_pass_of {
            None => {
                let report = report::to_wire(game, analysed);
                let first = FirstPass { game, report, calibration, second_pass_stake };
                analyses::complete(pool, claim, log, first).await
            }
            Some(player_id) => {
                let color = if game.white_id == player_id { Color::White } else { Color::Black };
                let side = report::side_of(color, player_id, analysed);
                let second = SecondPass { game, player_id, side, analysed, calibration, second_pass_stake };
                analyses::complete_second(pool, claim, log, second).await
            }
        };
        match finished {
            Ok(Finished::Written) => {
                self.shared.signal.committed();
                // The standing may have asked for second passes.
                self.shared.wake.notify_one();
                metrics::histogram!(ANALYSIS_SECONDS).record(started.elapsed().as_secs_f64());
                tracing::info!(plies = game.moves.len(), "report ready");
            }
            Ok(Finished::ClaimLost) => tracing::warn!("the claim ran out before the report was written"),
            Err(FinishError::Append(AppendError::Invalid(error))) => {
                return self.park(claim, log, &error.to_string()).await;
            }
            Err(error) => return Err(error),
        }
        Ok(Next::Another)
    }

    async fn failed(
        &self,
        claim: &Claim,
        log: &AnalysisLog,
        error: &AnalysisError,
    ) -> Result<Next, FinishError> {
        let (shared, settings) = (&self.shared, &self.shared.settings);
        let cause = clipped(&error.to_string());
        let attempts = claim.attempts + 1;
        match error.remedy() {
            Remedy::Wait => {
                jobs::hand_back(&shared.pool, claim).await?;
                tracing::warn!(cause, "the engine is away: finished games wait for their analysis");
                return Ok(Next::AwaitEngine);
            }
            Remedy::GiveUp => return self.park(claim, log, &cause).await,
            Remedy::TryAgain => metrics::counter!(FAILURES).increment(1),
        }
        if attempts >= settings.attempts_max {
            return self.park(claim, log, &cause).await;
        }
        let delay = settings.retry_delay_after(attempts);
        jobs::retry_later(&shared.pool, claim, delay, &cause).await?;
        tracing::warn!(
            cause,
            attempts,
            delay_ms = delay.as_millis() as u64,
            "the analysis failed and is tried again"
        );
        Ok(Next::Another)
    }

    async fn park(&self, claim: &Claim, log: &AnalysisLog, cause: &str) -> Result<Next, FinishError> {
        match analyses::park(&self.shared.pool, claim, log, &clipped(cause)).await? {
            Finished::Written => {
                self.shared.signal.committed();
                metrics::counter!(PARKED).increment(1);
                tracing::error!(game_id = %claim.game_id, cause, "the analysis was given up; an operator must look");
            }
            Finished::ClaimLost => tracing::warn!("the claim ran out before the job was parked"),
        }
        Ok(Next::Another)
    }
}

/// An engine may have a part in the text, and Postgres text holds no NUL.
fn clipped(cause: &str) -> String {
    cause.chars().filter(|character| *character != '\0').take(CAUSE_CHARS_MAX).collect()
}
