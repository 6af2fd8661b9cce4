//! What players lost to cheats, and how it stands with that.

use proto::wallet::v1::{
    ListVictimRefundsRequest, ListVictimRefundsResponse, VictimRefund, VictimRefundState,
};
use service_kit::fields::Violations;
use service_kit::paging;
use service_kit::status::from_sqlx;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::operator;
use crate::app::unix_ms;
use crate::grpc::{Service, convert};
use crate::store::victims::{self, RefundRow};

/// Names the list in its page tokens.
const LIST: &str = "victim-refunds";

pub(super) async fn handle(
    service: &Service,
    request: &Request<ListVictimRefundsRequest>,
) -> Result<Response<ListVictimRefundsResponse>, Status> {
    operator(request)?;
    let asked = request.get_ref();
    let mut bad = Violations::default();
    let state = VictimRefundState::try_from(asked.state).ok();
    if state.is_none() {
        bad.add("state", "must be a state of a refund");
    }
    let page = paging::read::<(i64, (Uuid, Uuid))>(LIST, asked.page_size, &asked.page_token, &mut bad);
    let (Some(page), Some(state)) = (page, state) else {
        return Err(bad.into_status());
    };
    let (after_us, (case_id, game_id)) = page.after.unwrap_or_default();
    let after = OffsetDateTime::from_unix_timestamp_nanos(i128::from(after_us) * 1_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let limit = i64::from(page.size) + 1;
    let mut rows = victims::page(&service.pool, state, (after, case_id, game_id), limit)
        .await
        .map_err(|error| from_sqlx(&error))?;
    let next_page_token = paging::cut(LIST, page.size, &mut rows, place);
    let refunds = rows.into_iter().map(refund).collect();
    Ok(Response::new(ListVictimRefundsResponse { refunds, next_page_token }))
}

/// Postgres keeps microseconds.
fn place(row: &RefundRow) -> (i64, (Uuid, Uuid)) {
    let us = row.decided_at.unix_timestamp_nanos() / 1_000;
    (i64::try_from(us).unwrap_or(i64::MAX), (row.case_id, row.game_id))
}

fn refund(row: RefundRow) -> VictimRefund {
    let text = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
    VictimRefund {
        case_id: row.case_id.to_string(),
        game_id: row.game_id.to_string(),
        match_id: text(row.match_id),
        player_id: row.player_id.to_string(),
        winner_player_id: row.winner_id.to_string(),
        stake: Some(convert::money(row.stake, &row.currency)),
        state: i32::from(row.state),
        note: row.note,
        decided_by: row.decided_by.to_string(),
        reason: row.reason,
        decided_at_ms: unix_ms(row.decided_at),
        transfer_id: text(row.transfer_id),
    }
}
