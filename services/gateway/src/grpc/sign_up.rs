//! SignUp.

use proto::gateway::v1::{SignUpRequest, SignUpResponse};
use service_kit::fields::Violations;
use time::OffsetDateTime;
use tonic::Status;

use super::{convert, status};
use crate::app::account::{Name, Password};
use crate::app::{Accounts, App, sign_up};

pub(super) async fn handle<A: Accounts>(
    app: &App<A>,
    request: SignUpRequest,
) -> Result<SignUpResponse, Status> {
    let mut bad = Violations::default();
    let name = bad.check("name", Name::parse(&request.name));
    let password = bad.check("password", Password::parse(request.password));
    let (Some(name), Some(password)) = (name, password) else { return Err(bad.into_status()) };
    let signed_up = sign_up(app, name.clone(), password, OffsetDateTime::now_utc()).await;
    let session = signed_up.map_err(|error| status::of_sign_up(error, &name))?;
    Ok(SignUpResponse { session: Some(convert::session(&session)) })
}
