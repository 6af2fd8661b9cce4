//! GetStatus: how the instance that answers stands.

use std::collections::BTreeMap;
use std::time::Instant;

use event_bus::standing::{self, Followed, Parked};
use proto::operator::v1::{ConsumerStatus, GetStatusResponse};
use service_kit::status::from_sqlx;
use time::OffsetDateTime;
use tokio::task::JoinSet;
use tonic::Status;

use crate::{Desk, unix_ms};

pub(super) async fn handle(desk: &Desk) -> Result<GetStatusResponse, Status> {
    let unavailable = |error: sqlx::Error| from_sqlx(&error);
    let asked = Instant::now();
    sqlx::query("select 1").execute(&desk.pool).await.map_err(unavailable)?;
    let database_us = i64::try_from(asked.elapsed().as_micros()).unwrap_or(i64::MAX);
    let outbox = standing::outbox(&desk.pool).await.map_err(unavailable)?;
    let parked = standing::parked(&desk.pool).await.map_err(unavailable)?;
    let now = OffsetDateTime::now_utc();
    let waiting_ms = outbox.oldest.map_or(0, |oldest| (unix_ms(now) - unix_ms(oldest)).max(0));
    Ok(GetStatusResponse {
        service: desk.service.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at_ms: unix_ms(desk.started_at),
        waiting_for: desk.readiness.waiting_for().into_iter().map(str::to_owned).collect(),
        database_us,
        broker_connected: desk.bus.is_connected(),
        outbox_waiting: outbox.waiting,
        outbox_waiting_ms: waiting_ms,
        consumers: consumers(desk, parked).await,
        trace_url: desk.trace_url.clone(),
    })
}

/// The consumers that run here, and those that have left something parked and run no more.
async fn consumers(desk: &Desk, parked: Vec<Parked>) -> Vec<ConsumerStatus> {
    let mut asking = JoinSet::new();
    for followed in desk.bus.followed() {
        let bus = desk.bus.clone();
        asking.spawn(async move {
            let lag = standing::lag(&bus, &followed).await;
            let Followed { consumer, source_service } = followed;
            ConsumerStatus {
                name: consumer.to_owned(),
                source_service: source_service.to_owned(),
                waiting: lag.map(|lag| lag.waiting),
                in_hand: lag.map(|lag| lag.in_hand),
                parked: 0,
                faults: 0,
            }
        });
    }
    let answers = asking.join_all().await;
    let mut by_name: BTreeMap<String, ConsumerStatus> =
        answers.into_iter().map(|status| (status.name.clone(), status)).collect();
    for Parked { consumer, count, faults } in parked {
        let status = by_name
            .entry(consumer.clone())
            .or_insert_with(|| ConsumerStatus { name: consumer, ..ConsumerStatus::default() });
        status.parked = count.unsigned_abs();
        status.faults = faults.unsigned_abs();
    }
    by_name.into_values().collect()
}
