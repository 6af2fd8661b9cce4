//! Two players, an operator and a moderator to begin with. They sign up through the gateway like everybody else.

use proto::gateway::v1::account_service_client::AccountServiceClient;
use proto::gateway::v1::{SignInRequest, SignUpRequest};
use tonic::Code;
use tonic::transport::Channel;

use super::StartError;

/// The seeded names: two players, and whoever runs and judges.
pub const NAMES: [&str; 4] = ["anna", "boris", OPERATOR, MODERATOR];
/// Runs the platform.
pub const OPERATOR: &str = "olga";
/// Judges fair play.
pub const MODERATOR: &str = "mira";
/// Their password: no secret, and good in development only, where the edge listens on the loopback.
pub const PASSWORD: &str = "stakemate-dev";

/// Tells people how to begin.
#[must_use]
pub fn sign_in_line() -> String {
    let [one, other, ..] = NAMES;
    format!(
        "sign in as {one} or {other}, as {OPERATOR} (operator) or {MODERATOR} (moderator), password {PASSWORD}"
    )
}

/// What the gateway is told of them: roles are given when the names sign up.
#[must_use]
pub fn first_roles() -> String {
    format!("{OPERATOR}=operator,{MODERATOR}=moderator")
}

/// Signs them up unless a former run has done so.
pub async fn ensure(edge: Channel) -> Result<(), StartError> {
    let mut accounts = AccountServiceClient::new(edge);
    for name in NAMES {
        let sign_in = SignInRequest { name: name.to_owned(), password: PASSWORD.to_owned() };
        let status = match accounts.sign_in(sign_in).await {
            Ok(_) => continue,
            Err(status) if status.code() != Code::Unauthenticated => status,
            Err(_) => {
                let sign_up = SignUpRequest { name: name.to_owned(), password: PASSWORD.to_owned() };
                match accounts.sign_up(sign_up).await {
                    Ok(_) => continue,
                    Err(status) => status,
                }
            }
        };
        return Err(StartError::Players { name, status: Box::new(status) });
    }
    Ok(())
}
