//! Adjustments that wait for a second person.

use proto::wallet::v1::{Adjustment, ListAdjustmentsRequest, ListAdjustmentsResponse};
use service_kit::fields::Violations;
use service_kit::paging;
use service_kit::status::from_sqlx;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::operator;
use crate::app::unix_ms;
use crate::grpc::{Service, convert};
use crate::store::payments::{self, AdjustmentRow};

/// Names the list in its page tokens.
const LIST: &str = "adjustments";

pub(super) async fn handle(
    service: &Service,
    request: &Request<ListAdjustmentsRequest>,
) -> Result<Response<ListAdjustmentsResponse>, Status> {
    operator(request)?;
    let asked = request.get_ref();
    let mut bad = Violations::default();
    let page = paging::read::<(i64, Uuid)>(LIST, asked.page_size, &asked.page_token, &mut bad);
    let Some(page) = page else {
        return Err(bad.into_status());
    };
    let (after_us, after_id) = page.after.unwrap_or((0, Uuid::nil()));
    let after = OffsetDateTime::from_unix_timestamp_nanos(i128::from(after_us) * 1_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let mut rows = payments::proposed(&service.pool, (after, after_id), i64::from(page.size) + 1)
        .await
        .map_err(|error| from_sqlx(&error))?;
    let next_page_token = paging::cut(LIST, page.size, &mut rows, place);
    let adjustments = rows.into_iter().map(adjustment).collect();
    Ok(Response::new(ListAdjustmentsResponse { adjustments, next_page_token }))
}

/// Postgres keeps microseconds.
fn place(row: &AdjustmentRow) -> (i64, Uuid) {
    let us = row.proposed_at.unix_timestamp_nanos() / 1_000;
    (i64::try_from(us).unwrap_or(i64::MAX), row.adjustment_id)
}

fn adjustment(row: AdjustmentRow) -> Adjustment {
    Adjustment {
        adjustment_id: row.adjustment_id.to_string(),
        player_id: row.player_id.to_string(),
        amount: Some(convert::money(row.amount, &row.currency)),
        reason: row.reason,
        proposed_by: row.proposed_by.to_string(),
        proposed_at_ms: unix_ms(row.proposed_at),
    }
}
