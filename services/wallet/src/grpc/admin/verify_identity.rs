//! Who a player is.

use domain_ledger::PlayerId;
use domain_ledger::eligibility::{BirthDate, Identity, Region, StandingEvent};
use prost::Message as _;
use proto::wallet::v1::{VerifyIdentityRequest, VerifyIdentityResponse};
use service_kit::fields::Violations;
use service_kit::ids;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use super::operator;
use crate::cashier;
use crate::grpc::command::{Caller, Command, Failure, execute};
use crate::grpc::{Service, parse, status};

pub(super) async fn handle(
    service: &Service,
    request: Request<VerifyIdentityRequest>,
) -> Result<Response<VerifyIdentityResponse>, Status> {
    let principal = operator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let player = bad.check("player_id", ids::parse(&request.player_id));
    let born = bad.check("born", BirthDate::parse(&request.born).ok_or("must be a date like 2001-02-28"));
    let region = bad.check("region", Region::parse(&request.region));
    let parsed = player.zip(born).zip(region);
    let (caller, ((player, born), region)) = parse::request(principal, &request.request_id, parsed, bad)?;
    let player = PlayerId::new(player.as_u128());
    let command = Verify { request, player, identity: Identity { born, region } };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

struct Verify {
    request: VerifyIdentityRequest,
    player: PlayerId,
    identity: Identity,
}

impl Command for Verify {
    type Response = VerifyIdentityResponse;
    const NAME: &'static str = "VerifyIdentity";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(&self, conn: &mut PgConnection, caller: &Caller) -> Result<VerifyIdentityResponse, Failure> {
        let change = cashier::change_standing(
            conn,
            self.player,
            |_| Ok(StandingEvent::IdentityVerified(self.identity)),
            (Some(caller.principal.player_id), caller.metadata()),
        );
        change.await?.map_err(status::of_standing)?;
        Ok(VerifyIdentityResponse {})
    }
}
