//! Asks services whether they are ready, over the standard gRPC health protocol.

use std::net::SocketAddr;
use std::time::Duration;

use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// One question must not hang the wait for all.
const QUESTION_PATIENCE: Duration = Duration::from_secs(2);

/// Asks once; an error says why the service does not count as ready.
pub async fn ask(address: SocketAddr) -> Result<(), String> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))
        .map_err(|error| error.to_string())?
        .connect_timeout(QUESTION_PATIENCE)
        .timeout(QUESTION_PATIENCE);
    let channel = endpoint.connect().await.map_err(|_| format!("nobody listens on {address}"))?;
    let answer = HealthClient::new(channel)
        .check(HealthCheckRequest::default())
        .await
        .map_err(|status| format!("{:?}: {}", status.code(), status.message()))?;
    match answer.into_inner().status() {
        ServingStatus::Serving => Ok(()),
        other => Err(other.as_str_name().to_owned()),
    }
}
