//! The second person's word on an adjustment.

use domain_ledger::{Balances, Currency, PlayerId};
use prost::Message as _;
use proto::wallet::v1::{AdjustmentState, DecideAdjustmentRequest, DecideAdjustmentResponse, ErrorReason};
use service_kit::fields::Violations;
use service_kit::ids;
use service_kit::status::{failed_precondition, internal, not_found, permission_denied};
use sqlx::PgConnection;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{adjust_balance, operator};
use crate::app::posting::{AdjustmentDecision, Draft, WalletEvent};
use crate::cashier::CashierError;
use crate::grpc::command::{Caller, Command, Failure, execute};
use crate::grpc::{Service, parse};
use crate::store::payments::{self, NewAdjustment};
use crate::store::posting::{Place, post};

pub(super) async fn handle(
    service: &Service,
    request: Request<DecideAdjustmentRequest>,
) -> Result<Response<DecideAdjustmentResponse>, Status> {
    let principal = operator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let adjustment = bad.check("adjustment_id", ids::parse(&request.adjustment_id));
    let (caller, adjustment) = parse::request(principal, &request.request_id, adjustment, bad)?;
    let command = Decide { request, adjustment };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

struct Decide {
    request: DecideAdjustmentRequest,
    adjustment: Uuid,
}

impl Command for Decide {
    type Response = DecideAdjustmentResponse;
    const NAME: &'static str = "DecideAdjustment";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(
        &self,
        conn: &mut PgConnection,
        caller: &Caller,
    ) -> Result<DecideAdjustmentResponse, Failure> {
        let Some(row) = payments::lock_adjustment(conn, self.adjustment).await? else {
            let refusal = not_found(ErrorReason::AdjustmentUnknown, "there is no such adjustment");
            return Err(Failure::Refused(refusal));
        };
        if row.state != AdjustmentState::Proposed as i16 {
            let message = "somebody has decided about the adjustment";
            return Err(Failure::Refused(failed_precondition(ErrorReason::AdjustmentDecided, message, [])));
        }
        let decided_by = caller.principal.player_id;
        if self.request.approve && row.proposed_by == decided_by {
            let message = "who has asked for an adjustment cannot approve it";
            return Err(Failure::Refused(permission_denied(ErrorReason::SecondPersonNeeded, message)));
        }
        let (decision, state) = match self.request.approve {
            true => (AdjustmentDecision::Approved, AdjustmentState::Booked),
            false => (AdjustmentDecision::Rejected, AdjustmentState::Rejected),
        };
        payments::set_adjustment(conn, self.adjustment, state as i16).await?;
        let event = WalletEvent::AdjustmentDecided { adjustment: self.adjustment, decision, decided_by };
        let expected = event_store::head(&mut *conn, self.adjustment).await?;
        let place = Place { expected, metadata: caller.metadata() };
        let draft = Draft { event, transfers: Vec::new() };
        post(conn, vec![draft], Balances::new(), place).await.map_err(CashierError::from)?;
        if decision == AdjustmentDecision::Approved {
            let currency =
                Currency::parse(&row.currency).map_err(|error| Failure::Broken(internal(error)))?;
            let new = NewAdjustment {
                id: row.adjustment_id,
                player: PlayerId::new(row.player_id.as_u128()),
                minor_signed: row.amount,
                currency,
                reason: row.reason,
                proposed_by: row.proposed_by,
            };
            adjust_balance::book(conn, new, Some(decided_by), caller).await?;
        }
        Ok(DecideAdjustmentResponse { state: state as i32 })
    }
}
