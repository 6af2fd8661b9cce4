//! The wallet's calls without a network: requests of players and operators as the layers would hand them over.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use domain_ledger::Currency;
use domain_ledger::eligibility::Policy;
use event_store::CommitSignal;
use proto::types::v1::Money;
use service_kit::auth::{Authentication, Principal, Role, Roles};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;
use wallet::app::desk::Desk;
use wallet::app::payments::PaymentProvider;
use wallet::grpc::Service;
use wallet::payments::PlayMoney;

/// A desk for play money that asks nothing of anybody.
pub fn desk() -> Desk {
    Desk {
        policy: Policy::default(),
        currency: Currency::XPL,
        provider: Some(Arc::new(PlayMoney) as Arc<dyn PaymentProvider>),
        approval_above_minor: 1_000,
    }
}

pub fn service(pool: &PgPool, desk: Desk) -> Service {
    Service::new(pool.clone(), Arc::new(desk), CommitSignal::new(), CancellationToken::new())
}

pub fn by<T>(player_id: Uuid, role: Role, message: T) -> Request<T> {
    let principal = Principal {
        player_id,
        name: "Paul".to_owned(),
        roles: Roles::of(&[role]),
        expires_at: SystemTime::now() + Duration::from_secs(600),
    };
    let mut request = Request::new(message);
    request.extensions_mut().insert(Authentication::Known(principal));
    request
}

/// As a player asks.
pub fn player<T>(player_id: Uuid, message: T) -> Request<T> {
    by(player_id, Role::Player, message)
}

/// As an operator asks.
pub fn operator<T>(operator_id: Uuid, message: T) -> Request<T> {
    by(operator_id, Role::Operator, message)
}

pub fn id() -> String {
    Uuid::now_v7().to_string()
}

pub fn money(minor_units: i64) -> Option<Money> {
    Some(Money { minor_units, currency: "XPL".to_owned() })
}

/// The reason in a refusal's details.
pub fn reason(status: &Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}
