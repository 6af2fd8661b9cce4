//! What the caller may do, and what he asks for himself. Four short calls that share everything.

use domain_ledger::PlayerId;
use domain_ledger::eligibility::{Action, DAY_MS, Exclusion, LimitKind, StandingEvent};
use prost::Message as _;
use proto::wallet::v1::{
    CheckEligibilityRequest, CheckEligibilityResponse, EligibleAction, ExcludeMyselfRequest,
    ExcludeMyselfResponse, GetStandingRequest, GetStandingResponse, Limit, SetLimitRequest, SetLimitResponse,
};
use service_kit::auth::principal;
use service_kit::fields::Violations;
use service_kit::status::from_sqlx;
use sqlx::PgConnection;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::command::{Caller, Command, Failure, execute};
use super::{Service, parse, status};
use crate::app::unix_ms;
use crate::cashier;
use crate::store::codec::{limit_code, limit_kind};

/// The longest exclusion that is not for ever: some hundred years.
const EXCLUSION_DAYS_MAX: u32 = 36_500;

pub(super) async fn get(
    service: &Service,
    request: &Request<GetStandingRequest>,
) -> Result<Response<GetStandingResponse>, Status> {
    let player = PlayerId::new(principal(request)?.player_id.as_u128());
    let mut conn = service.pool.acquire().await.map_err(|error| from_sqlx(&error))?;
    let (standing, _) = cashier::standing(&mut conn, player).await.map_err(|error| either(error.into()))?;
    let now_ms = unix_ms(OffsetDateTime::now_utc());
    let exclusion = standing.exclusion.filter(|exclusion| exclusion.holds_at(now_ms));
    let limits = LimitKind::ALL
        .into_iter()
        .map(|kind| {
            let waiting = standing.limits.waiting(kind, now_ms);
            Limit {
                kind: limit_code(kind) as i32,
                limit_minor_units: standing.limits.at(kind, now_ms),
                is_changing: waiting.is_some(),
                next_limit_minor_units: waiting.and_then(|(limit, _)| limit),
                next_counts_from_ms: waiting.map_or(0, |(_, from_ms)| from_ms),
            }
        })
        .collect();
    Ok(Response::new(GetStandingResponse {
        identity_verified: standing.identity.is_some(),
        is_excluded: exclusion.is_some(),
        excluded_until_ms: exclusion.map_or(0, until_ms),
        limits,
    }))
}

pub(super) async fn check(
    service: &Service,
    request: &Request<CheckEligibilityRequest>,
) -> Result<Response<CheckEligibilityResponse>, Status> {
    let player = PlayerId::new(principal(request)?.player_id.as_u128());
    let asked = request.get_ref();
    let mut bad = Violations::default();
    let sum = parse::amount(asked.amount.as_ref(), &mut bad);
    if asked.action() == EligibleAction::Unspecified {
        bad.add("action", "must be to deposit, to play or to withdraw");
    }
    let Some((amount, currency)) = sum.filter(|_| bad.is_empty()) else {
        return Err(bad.into_status());
    };
    let action = match asked.action() {
        EligibleAction::Deposit => Action::Deposit(amount),
        EligibleAction::Withdraw => Action::Withdraw(amount),
        EligibleAction::Play | EligibleAction::Unspecified => Action::Play(amount),
    };
    let mut conn = service.pool.acquire().await.map_err(|error| from_sqlx(&error))?;
    let answer = cashier::ask(&mut conn, &service.desk.policy, player, currency, action).await;
    answer.map_err(|error| either(error.into()))?;
    Ok(Response::new(CheckEligibilityResponse {}))
}

pub(super) async fn set_limit(
    service: &Service,
    request: Request<SetLimitRequest>,
) -> Result<Response<SetLimitResponse>, Status> {
    let principal = principal(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let kind = limit_kind(request.kind());
    if kind.is_none() {
        bad.add("kind", "must be a kind of limit");
    }
    if request.limit_minor_units.is_some_and(|minor| minor < 0) {
        bad.add("limit_minor_units", "must not be negative");
    }
    let (caller, kind) = parse::request(principal, &request.request_id, kind, bad)?;
    let command = SetLimit { request, kind };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

pub(super) async fn exclude(
    service: &Service,
    request: Request<ExcludeMyselfRequest>,
) -> Result<Response<ExcludeMyselfResponse>, Status> {
    let principal = principal(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    if request.days > EXCLUSION_DAYS_MAX {
        bad.add("days", "must be at most 36500, or 0 for ever");
    }
    let (caller, ()) = parse::request(principal, &request.request_id, Some(()), bad)?;
    execute(&service.pool, &service.signal, caller, Exclude { request }).await.map(Response::new)
}

struct SetLimit {
    request: SetLimitRequest,
    kind: LimitKind,
}

impl Command for SetLimit {
    type Response = SetLimitResponse;
    const NAME: &'static str = "SetLimit";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(&self, conn: &mut PgConnection, caller: &Caller) -> Result<SetLimitResponse, Failure> {
        let now_ms = unix_ms(OffsetDateTime::now_utc());
        let limit = self.request.limit_minor_units;
        let change = cashier::change_standing(
            conn,
            caller.player(),
            |standing| standing.set_limit(self.kind, limit, now_ms),
            (None, caller.metadata()),
        );
        match change.await?.map_err(status::of_standing)? {
            StandingEvent::LimitSet { from_ms, .. } => Ok(SetLimitResponse { counts_from_ms: from_ms }),
            other => Err(Failure::Broken(service_kit::status::internal(other))),
        }
    }
}

struct Exclude {
    request: ExcludeMyselfRequest,
}

impl Command for Exclude {
    type Response = ExcludeMyselfResponse;
    const NAME: &'static str = "ExcludeMyself";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(&self, conn: &mut PgConnection, caller: &Caller) -> Result<ExcludeMyselfResponse, Failure> {
        let now_ms = unix_ms(OffsetDateTime::now_utc());
        let wanted = match self.request.days {
            0 => Exclusion::ForEver,
            days => Exclusion::Until(now_ms + i64::from(days) * DAY_MS),
        };
        let change = cashier::change_standing(
            conn,
            caller.player(),
            |standing| standing.exclude(wanted, now_ms),
            (None, caller.metadata()),
        );
        change.await?.map_err(status::of_standing)?;
        Ok(ExcludeMyselfResponse { until_ms: until_ms(wanted) })
    }
}

fn until_ms(exclusion: Exclusion) -> i64 {
    match exclusion {
        Exclusion::Until(until_ms) => until_ms,
        Exclusion::ForEver => 0,
    }
}

/// The status of a call that stores no answer.
fn either(failure: Failure) -> Status {
    match failure {
        Failure::Refused(status) | Failure::Broken(status) => status,
    }
}
