//! A correction of a player's money.

use std::sync::Arc;

use domain_ledger::{Amount, Balances, Currency, Direction, PlayerId};
use prost::Message as _;
use proto::wallet::v1::{AdjustBalanceRequest, AdjustBalanceResponse, AdjustmentState};
use service_kit::fields::Violations;
use service_kit::ids;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use super::operator;
use crate::app::account::{self, Correction, Sum};
use crate::app::desk::Desk;
use crate::app::posting::{Draft, WalletEvent};
use crate::cashier::{self, CashierError};
use crate::grpc::command::{Caller, Command, Failure, execute};
use crate::grpc::{Service, parse};
use crate::store::payments::{self, NewAdjustment};
use crate::store::posting::{Place, post};

pub(super) async fn handle(
    service: &Service,
    request: Request<AdjustBalanceRequest>,
) -> Result<Response<AdjustBalanceResponse>, Status> {
    let principal = operator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let player = bad.check("player_id", ids::parse(&request.player_id));
    let sum = parse::signed_amount(request.amount.as_ref(), &mut bad);
    let reason = parse::reason(&request.reason, &mut bad);
    let parsed = player.zip(sum).zip(reason);
    let (caller, ((player, (minor_signed, currency)), reason)) =
        parse::request(principal, &request.request_id, parsed, bad)?;
    let player = PlayerId::new(player.as_u128());
    let desk = service.desk.clone();
    let command = Adjust { desk, request, player, minor_signed, currency, reason };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

struct Adjust {
    desk: Arc<Desk>,
    request: AdjustBalanceRequest,
    player: PlayerId,
    minor_signed: i64,
    currency: Currency,
    reason: String,
}

impl Command for Adjust {
    type Response = AdjustBalanceResponse;
    const NAME: &'static str = "AdjustBalance";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(&self, conn: &mut PgConnection, caller: &Caller) -> Result<AdjustBalanceResponse, Failure> {
        let adjustment = caller.command_id();
        let new = NewAdjustment {
            id: adjustment,
            player: self.player,
            minor_signed: self.minor_signed,
            currency: self.currency,
            reason: self.reason.clone(),
            proposed_by: caller.principal.player_id,
        };
        let needs_second = self.minor_signed.unsigned_abs() > self.desk.approval_above_minor.unsigned_abs();
        let state = if needs_second {
            propose(conn, &new, caller).await?;
            AdjustmentState::Proposed
        } else {
            book(conn, new, None, caller).await?;
            AdjustmentState::Booked
        };
        Ok(AdjustBalanceResponse { adjustment_id: adjustment.to_string(), state: state as i32 })
    }
}

/// What an adjustment of a signed sum moves, and which way.
fn parts(minor_signed: i64) -> (Direction, Amount) {
    let direction = if minor_signed < 0 { Direction::Debit } else { Direction::Credit };
    let amount = Amount::try_from(i128::from(minor_signed).abs()).expect("checked when it was asked for");
    (direction, amount)
}

async fn propose(conn: &mut PgConnection, new: &NewAdjustment, caller: &Caller) -> Result<(), Failure> {
    // That there is such an account is checked now, and not left to the second person.
    cashier::open_account(conn, new.player, new.currency).await?;
    payments::insert_adjustment(conn, new).await?;
    let (direction, amount) = parts(new.minor_signed);
    let event = WalletEvent::AdjustmentProposed {
        adjustment: new.id,
        player: new.player,
        direction,
        amount,
        currency: new.currency,
        reason: new.reason.clone(),
        proposed_by: new.proposed_by,
    };
    let draft = Draft { event, transfers: Vec::new() };
    let place = Place { expected: 0, metadata: caller.metadata() };
    post(conn, vec![draft], Balances::new(), place).await.map_err(CashierError::from)?;
    Ok(())
}

/// Books an adjustment that needs nobody, or was approved.
pub(super) async fn book(
    conn: &mut PgConnection,
    new: NewAdjustment,
    approved_by: Option<uuid::Uuid>,
    caller: &Caller,
) -> Result<(), Failure> {
    let account = cashier::open_account(conn, new.player, new.currency).await?;
    let (direction, amount) = parts(new.minor_signed);
    let sum = Sum { player: new.player, amount, currency: new.currency };
    let NewAdjustment { id: adjustment, reason, proposed_by, .. } = new;
    let correction = Correction { adjustment, reason, proposed_by, approved_by };
    let draft =
        account::adjustment(sum, direction, correction, &account.balances).map_err(CashierError::from)?;
    account.post(conn, draft, caller.metadata()).await?;
    Ok(())
}
