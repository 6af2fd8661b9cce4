//! What every service shows to whoever runs the platform: OperatorService, hosted by each service over its own database.
//!
//! No service reads another's database or calls another, so nobody could answer for all of them; a client asks each for
//! itself, by way of the gateway, and puts the answers together.
//!
//! # Map
//!
//! * [`Desk`]: the gRPC service, made once by a service's wiring.
//! * `status`: how the instance stands. `events`: the log. `dead_letters`: what could not be handled, and what was done about
//!   it. `refusals`: their errors as statuses.
//! * [`decode`]: stored events as JSON, by the descriptors of the protos.
//!
//! # Invariants
//!
//! * OPER-1 Nobody without the role operator learns anything here; the role is asked for before the request is looked at.
//! * OPER-2 Looking costs the service's own work little: at most [`LOOKS_AT_ONCE_MAX`] searches at once, each of bounded time
//!   and rows, all of them read only.
//! * OPER-3 What is done to a message is done to the one that was looked at, once a request, and stands in the database with
//!   who did it and why.
//!
//! # Deliberately absent
//!
//! * Events about what operators do in the service's own log: the wallet's is chained and the games' are replayed, and neither
//!   is to know of this.
//! * A stream of new events: a console asks again, and a stream would hold one of a browser's few connections.

mod dead_letters;
pub mod decode;
mod events;
mod refusals;
mod status;

use std::sync::Arc;

use event_bus::Bus;
use proto::operator::v1 as pb;
use proto::operator::v1::operator_service_server::{OperatorService, OperatorServiceServer};
use service_kit::auth::{Principal, Role, principal, require_role};
use service_kit::config::CommonConfig;
use service_kit::server::Readiness;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status};

/// Searches of the log that one instance makes at once.
pub const LOOKS_AT_ONCE_MAX: usize = 3;

/// The service, ready to be added to a server.
pub type Server = OperatorServiceServer<Desk>;

/// OperatorService of one service. Clones share everything.
#[derive(Clone, Debug)]
pub struct Desk {
    service: &'static str,
    pool: PgPool,
    bus: Bus,
    readiness: Readiness,
    trace_url: String,
    started_at: OffsetDateTime,
    looks: Arc<Semaphore>,
}

impl Desk {
    /// For the service of that name, over its own database and broker connection.
    #[must_use]
    pub fn new(
        service: &'static str,
        config: &CommonConfig,
        pool: &PgPool,
        bus: &Bus,
        readiness: Readiness,
    ) -> Self {
        Self {
            service,
            pool: pool.clone(),
            bus: bus.clone(),
            readiness,
            trace_url: config.trace_url.clone().unwrap_or_default(),
            started_at: OffsetDateTime::now_utc(),
            looks: Arc::new(Semaphore::new(LOOKS_AT_ONCE_MAX)),
        }
    }

    /// Ready to be added to a server.
    #[must_use]
    pub fn server(self) -> Server {
        OperatorServiceServer::new(self)
    }
}

/// The operator who calls (OPER-1).
fn operator<T>(request: &Request<T>) -> Result<Principal, Status> {
    let principal = principal(request)?;
    require_role(&principal, Role::Operator)?;
    Ok(principal)
}

/// Milliseconds since the Unix epoch.
fn unix_ms(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// Microseconds since the Unix epoch, which is what Postgres keeps: a place in a list that goes by time.
fn unix_us(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX)
}

/// The instant of such a place; the beginning of time for one that is none.
fn at_us(us: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(us) * 1_000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

#[tonic::async_trait]
impl OperatorService for Desk {
    async fn get_status(
        &self,
        request: Request<pb::GetStatusRequest>,
    ) -> Result<Response<pb::GetStatusResponse>, Status> {
        operator(&request)?;
        status::handle(self).await.map(Response::new)
    }

    async fn list_events(
        &self,
        request: Request<pb::ListEventsRequest>,
    ) -> Result<Response<pb::ListEventsResponse>, Status> {
        operator(&request)?;
        events::list(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_dead_letters(
        &self,
        request: Request<pb::ListDeadLettersRequest>,
    ) -> Result<Response<pb::ListDeadLettersResponse>, Status> {
        operator(&request)?;
        dead_letters::list(self, request.into_inner()).await.map(Response::new)
    }

    async fn retry_dead_letter(
        &self,
        request: Request<pb::RetryDeadLetterRequest>,
    ) -> Result<Response<pb::RetryDeadLetterResponse>, Status> {
        let actor = operator(&request)?;
        dead_letters::retry(self, &actor, request.into_inner()).await.map(Response::new)
    }

    async fn skip_dead_letter(
        &self,
        request: Request<pb::SkipDeadLetterRequest>,
    ) -> Result<Response<pb::SkipDeadLetterResponse>, Status> {
        let actor = operator(&request)?;
        dead_letters::skip(self, &actor, request.into_inner()).await.map(Response::new)
    }

    async fn list_dead_letter_actions(
        &self,
        request: Request<pb::ListDeadLetterActionsRequest>,
    ) -> Result<Response<pb::ListDeadLetterActionsResponse>, Status> {
        operator(&request)?;
        dead_letters::actions(self, request.into_inner()).await.map(Response::new)
    }
}
