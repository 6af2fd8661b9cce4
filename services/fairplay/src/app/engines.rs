//! Engines, as soon as there are any.

use tokio_util::sync::CancellationToken;
use uci::{EngineConfig, Pool};

use super::settings::AnalysisSettings;

/// Waits until an engine runs; nothing when the service stops first. That an engine is missing is said once, not with
/// every try.
pub async fn start(settings: &AnalysisSettings, shutdown: &CancellationToken) -> Option<Pool> {
    let Some(config) = &settings.engine else {
        tracing::warn!(
            "no engine is configured (STAKEMATE_STOCKFISH): finished games wait for their analysis"
        );
        shutdown.cancelled().await;
        return None;
    };
    tokio::select! {
        () = shutdown.cancelled() => None,
        engines = started(config, settings) => Some(engines),
    }
}

async fn started(config: &EngineConfig, settings: &AnalysisSettings) -> Pool {
    let mut is_first_try = true;
    loop {
        match Pool::start(config.clone(), settings.engines).await {
            Ok(engines) => return engines,
            Err(error) if is_first_try => {
                let program = config.program.display();
                tracing::warn!(%program, %error, "the engine does not start: finished games wait for their analysis");
            }
            Err(error) => tracing::debug!(%error, "the engine still does not start"),
        }
        is_first_try = false;
        tokio::time::sleep(settings.engine_delay).await;
    }
}
