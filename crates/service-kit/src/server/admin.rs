//! The admin port: metrics and health over HTTP. Never exposed outside of the cluster.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::Readiness;
use crate::telemetry;

/// How often the recorder tidies up between scrapes: histograms grow until then.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);
/// How long the last answers may take.
const STOP_MAX: Duration = Duration::from_secs(1);

/// Serves until `stopped` is cancelled. A failure is logged: the service itself goes on.
pub(super) async fn serve(listener: TcpListener, readiness: Readiness, stopped: CancellationToken) {
    let router = router(readiness);
    let serving = axum::serve(listener, router).with_graceful_shutdown(stopped.clone().cancelled_owned());
    let upkeep = async {
        let mut every = tokio::time::interval(UPKEEP_EVERY);
        loop {
            every.tick().await;
            telemetry::metrics_handle().run_upkeep();
        }
    };
    let late = async {
        stopped.cancelled().await;
        tokio::time::sleep(STOP_MAX).await;
    };
    tokio::select! {
        served = serving.into_future() => if let Err(error) = served {
            tracing::error!(%error, "the admin port failed");
        },
        () = upkeep => {}
        () = late => {}
    }
}

fn router(readiness: Readiness) -> Router {
    Router::new()
        .route("/metrics", get(|| async { telemetry::metrics_handle().render() }))
        .route("/healthz/live", get(|| async { "live\n" }))
        .route("/healthz/ready", get(ready))
        .with_state(readiness)
}

async fn ready(State(readiness): State<Readiness>) -> (StatusCode, String) {
    let waiting_for = readiness.waiting_for();
    if waiting_for.is_empty() {
        (StatusCode::OK, "ready\n".to_owned())
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, format!("waiting for {}\n", waiting_for.join(", ")))
    }
}
