//! Money out.

use std::sync::Arc;

use domain_ledger::eligibility::Action;
use domain_ledger::{Account, Amount, Currency};
use prost::Message as _;
use proto::wallet::v1::{CreateWithdrawalRequest, CreateWithdrawalResponse};
use service_kit::auth::principal;
use service_kit::fields::Violations;
use service_kit::status::from_sqlx;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::command::{Caller, Command, Failure, execute};
use super::create_deposit::open_desk;
use super::{Service, convert, parse};
use crate::app::account::{self, Sum};
use crate::app::desk::Desk;
use crate::cashier::{self, CashierError};

pub(super) async fn handle(
    service: &Service,
    request: Request<CreateWithdrawalRequest>,
) -> Result<Response<CreateWithdrawalResponse>, Status> {
    let principal = principal(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let sum = parse::amount(request.amount.as_ref(), &mut bad);
    let (caller, (amount, currency)) = parse::request(principal, &request.request_id, sum, bad)?;
    let is_rehearsal = request.validate_only;
    let command = Withdrawal { desk: service.desk.clone(), request, amount, currency };
    if is_rehearsal {
        return rehearse(service, &caller, &command).await.map(Response::new);
    }
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

/// Does it and undoes it: the answer is what it would be, and the request id is still free.
async fn rehearse(
    service: &Service,
    caller: &Caller,
    command: &Withdrawal,
) -> Result<CreateWithdrawalResponse, Status> {
    let mut tx = service.pool.begin().await.map_err(|error| from_sqlx(&error))?;
    let answer = command.run(&mut tx, caller).await;
    tx.rollback().await.map_err(|error| from_sqlx(&error))?;
    match answer {
        Ok(response) => Ok(CreateWithdrawalResponse { transfer_id: String::new(), ..response }),
        Err(Failure::Refused(status) | Failure::Broken(status)) => Err(status),
    }
}

struct Withdrawal {
    desk: Arc<Desk>,
    request: CreateWithdrawalRequest,
    amount: Amount,
    currency: Currency,
}

impl Command for Withdrawal {
    type Response = CreateWithdrawalResponse;
    const NAME: &'static str = "CreateWithdrawal";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(
        &self,
        conn: &mut PgConnection,
        caller: &Caller,
    ) -> Result<CreateWithdrawalResponse, Failure> {
        let provider = open_desk(&self.desk, self.currency)?;
        let player = caller.player();
        let account = cashier::open_account(conn, player, self.currency).await?;
        let action = Action::Withdraw(self.amount);
        cashier::ask(conn, &self.desk.policy, player, self.currency, action).await?;
        let sum = Sum { player, amount: self.amount, currency: self.currency };
        let draft = account::withdrawal(sum, caller.command_id(), provider.name(), &account.balances)
            .map_err(CashierError::from)?;
        let available = account.balances.of(Account::Available(player), self.currency);
        let posting = account.post(conn, draft, caller.metadata()).await?;
        let transfer_id =
            posting.transfers.first().map(|booked| Uuid::from_u128(booked.transfer.id().value()));
        Ok(CreateWithdrawalResponse {
            transfer_id: transfer_id.map(|id| id.to_string()).unwrap_or_default(),
            available_after: Some(convert::money(available - self.amount.minor(), self.currency.as_str())),
        })
    }
}
