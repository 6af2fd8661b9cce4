//! Money in.

use std::sync::Arc;

use domain_ledger::eligibility::Action;
use domain_ledger::{Amount, Currency};
use prost::Message as _;
use proto::wallet::v1::{CreateDepositRequest, CreateDepositResponse, ErrorReason, PaymentState};
use service_kit::auth::principal;
use service_kit::fields::Violations;
use service_kit::status::failed_precondition;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use super::command::{Caller, Command, Failure, execute};
use super::{Service, parse};
use crate::app::account::{self, Sum};
use crate::app::desk::Desk;
use crate::app::payments::{Beginning, Payment, PaymentProvider};
use crate::app::posting::DepositSource;
use crate::cashier;
use crate::store::payments;

pub(super) async fn handle(
    service: &Service,
    request: Request<CreateDepositRequest>,
) -> Result<Response<CreateDepositResponse>, Status> {
    let principal = principal(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let sum = parse::amount(request.amount.as_ref(), &mut bad);
    let (caller, (amount, currency)) = parse::request(principal, &request.request_id, sum, bad)?;
    let command = Deposit { desk: service.desk.clone(), request, amount, currency };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

/// The desk's provider, if it takes this currency.
pub(super) fn open_desk(desk: &Desk, currency: Currency) -> Result<&dyn PaymentProvider, Failure> {
    let Some(provider) = &desk.provider else {
        let message = "no money is taken or paid here";
        return Err(Failure::Refused(failed_precondition(ErrorReason::DepositsClosed, message, [])));
    };
    if currency != desk.currency {
        let message = format!("only {} is taken and paid; nothing is converted", desk.currency);
        let accepted = ("accepted", desk.currency.to_string());
        return Err(Failure::Refused(failed_precondition(
            ErrorReason::CurrencyNotAccepted,
            message,
            [accepted],
        )));
    }
    Ok(provider.as_ref())
}

struct Deposit {
    desk: Arc<Desk>,
    request: CreateDepositRequest,
    amount: Amount,
    currency: Currency,
}

impl Command for Deposit {
    type Response = CreateDepositResponse;
    const NAME: &'static str = "CreateDeposit";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(&self, conn: &mut PgConnection, caller: &Caller) -> Result<CreateDepositResponse, Failure> {
        let provider = open_desk(&self.desk, self.currency)?;
        let player = caller.player();
        let account = cashier::open_account(conn, player, self.currency).await?;
        let action = Action::Deposit(self.amount);
        cashier::ask(conn, &self.desk.policy, player, self.currency, action).await?;
        let sum = Sum { player, amount: self.amount, currency: self.currency };
        let payment = Payment { id: caller.command_id(), sum };
        // Decided in any case: what would not fit must not be paid for first.
        let source = DepositSource::default();
        account::deposit(sum, payment.id, source, &account.balances).map_err(cashier::CashierError::from)?;
        let (state, checkout_url) = match provider.begin(&payment) {
            Beginning::Settled { provider_event_id } => {
                let source = DepositSource { provider: provider.name().to_owned(), provider_event_id };
                let draft = account::deposit(sum, payment.id, source, &account.balances)
                    .map_err(cashier::CashierError::from)?;
                payments::insert(conn, &payment).await?;
                payments::set_state(conn, payment.id, payments::PaymentState::Settled).await?;
                account.post(conn, draft, caller.metadata()).await?;
                (PaymentState::Settled, String::new())
            }
            Beginning::Pending { checkout_url } => {
                cashier::request_payment(conn, &payment, provider.name(), caller.metadata()).await?;
                (PaymentState::Pending, checkout_url)
            }
        };
        Ok(CreateDepositResponse { payment_id: payment.id.to_string(), state: state as i32, checkout_url })
    }
}
