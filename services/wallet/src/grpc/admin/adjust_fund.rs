//! Money that the house puts into its fund, or takes out of it.

use domain_ledger::{Account, Amount, Currency, Direction, FundSource};
use prost::Message as _;
use proto::wallet::v1::{AdjustFundRequest, AdjustFundResponse};
use service_kit::fields::Violations;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use super::operator;
use crate::app::fund::Funding;
use crate::app::fund_uuid;
use crate::cashier::CashierError;
use crate::grpc::command::{Caller, Command, Failure, execute};
use crate::grpc::{Service, convert, parse};
use crate::store::codec::fund_source;
use crate::store::posting::{Place, post};
use crate::store::{balances, log, totals};

pub(super) async fn handle(
    service: &Service,
    request: Request<AdjustFundRequest>,
) -> Result<Response<AdjustFundResponse>, Status> {
    let principal = operator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let sum = parse::signed_amount(request.amount.as_ref(), &mut bad);
    let source = fund_source(request.source());
    if source.is_none() {
        bad.add("source", "must be FEES or OUTSIDE");
    }
    let reason = parse::reason(&request.reason, &mut bad);
    let parsed = sum.zip(source).zip(reason);
    let (caller, (((minor_signed, currency), source), reason)) =
        parse::request(principal, &request.request_id, parsed, bad)?;
    let command = AdjustFund { request, minor_signed, currency, source, reason };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

struct AdjustFund {
    request: AdjustFundRequest,
    minor_signed: i64,
    currency: Currency,
    source: FundSource,
    reason: String,
}

impl Command for AdjustFund {
    type Response = AdjustFundResponse;
    const NAME: &'static str = "AdjustFund";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(&self, conn: &mut PgConnection, caller: &Caller) -> Result<AdjustFundResponse, Failure> {
        let direction = if self.minor_signed < 0 { Direction::Debit } else { Direction::Credit };
        let amount =
            Amount::try_from(i128::from(self.minor_signed).abs()).expect("checked when it was asked for");
        let funding = Funding {
            command: caller.command_id(),
            source: self.source,
            direction,
            amount,
            currency: self.currency,
            reason: self.reason.clone(),
            adjusted_by: caller.principal.player_id,
        };
        // Whoever takes from the fees holds this lock, so that what they come to can only grow meanwhile.
        log::lock_streams(conn, &[fund_uuid()]).await?;
        let expected = event_store::head(&mut *conn, fund_uuid()).await?;
        balances::ensure_fund(conn, self.currency).await?;
        let mut locked = balances::lock_all(conn, &[(Account::Fund, self.currency)]).await?;
        if (direction, self.source) == (Direction::Credit, FundSource::Fees) {
            locked.load(Account::Fees, self.currency, totals::fees(&mut *conn, self.currency).await?);
        }
        let draft = funding.decide(&locked).map_err(CashierError::from)?;
        let place = Place { expected, metadata: caller.metadata() };
        let before_minor = locked.of(Account::Fund, self.currency);
        post(conn, vec![draft], locked, place).await.map_err(CashierError::from)?;
        let fund_minor = before_minor + self.minor_signed;
        Ok(AdjustFundResponse { fund_after: Some(convert::money(fund_minor, self.currency.as_str())) })
    }
}
