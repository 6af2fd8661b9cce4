//! The ledger as an accountant reads it. Each call asks for the role before it looks at anything else.

use event_store::RecordedEvent;
use prost::Message as _;
use proto::wallet::v1 as pb;
use proto::wallet::v1::ledger_service_server::LedgerService;
use service_kit::ids;
use service_kit::status::{from_sqlx, internal, overloaded};
use tonic::{Request, Response, Status};

use super::Service;
use super::admin::operator;
use crate::app::unix_ms;
use crate::store::codec::kinds;
use crate::store::totals::{self, TotalRow};

/// Events of a match that are read; it has five at most.
const MATCH_EVENTS_MAX: usize = 20;

#[tonic::async_trait]
impl LedgerService for Service {
    async fn list_account_totals(
        &self,
        request: Request<pb::ListAccountTotalsRequest>,
    ) -> Result<Response<pb::ListAccountTotalsResponse>, Status> {
        operator(&request)?;
        let _summing = self.summing.try_acquire().map_err(|_| overloaded())?;
        let rows = totals::by_kind(&self.pool).await.map_err(|error| from_sqlx(&error))?;
        let totals = rows.into_iter().map(total).collect();
        Ok(Response::new(pb::ListAccountTotalsResponse { totals }))
    }

    async fn get_match_ledger(
        &self,
        request: Request<pb::GetMatchLedgerRequest>,
    ) -> Result<Response<pb::GetMatchLedgerResponse>, Status> {
        operator(&request)?;
        let match_id = ids::uuid("match_id", &request.get_ref().match_id)?;
        let events = event_store::load(&self.pool, match_id, 0, MATCH_EVENTS_MAX)
            .await
            .map_err(|error| from_sqlx(&error))?;
        let mut transfers = Vec::new();
        for event in &events {
            let recorded_at_ms = unix_ms(event.recorded_at);
            transfers.extend(transfers_of(event).map_err(internal)?.into_iter().map(|transfer| {
                pb::MatchTransfer { event: event.kind.clone(), recorded_at_ms, transfer: Some(transfer) }
            }));
        }
        Ok(Response::new(pb::GetMatchLedgerResponse { transfers }))
    }
}

/// The transfers of an event, as they stand in the log: what is shown is not what a projection made of it.
fn transfers_of(event: &RecordedEvent) -> Result<Vec<pb::LedgerTransfer>, prost::DecodeError> {
    let data = event.data.as_slice();
    Ok(match event.kind.as_str() {
        kinds::STAKES_HELD => pb::StakesHeld::decode(data)?.transfers,
        kinds::POT_PAID => pb::PotPaid::decode(data)?.transfers,
        kinds::PRIZE_WITHHELD => pb::PrizeWithheld::decode(data)?.transfers,
        kinds::PRIZE_RELEASED => pb::PrizeReleased::decode(data)?.transfers,
        kinds::VICTIM_REFUNDED => pb::VictimRefunded::decode(data)?.transfers,
        kinds::STAKES_REFUNDED => pb::StakesRefunded::decode(data)?.transfers,
        _ => Vec::new(),
    })
}

fn total(row: TotalRow) -> pb::AccountTotal {
    pb::AccountTotal {
        currency: row.currency,
        account: row.kind.into(),
        accounts: row.accounts,
        entries: row.entries,
        debit_minor_units: row.debit,
        credit_minor_units: row.credit,
        balance_minor_units: row.balance,
    }
}
