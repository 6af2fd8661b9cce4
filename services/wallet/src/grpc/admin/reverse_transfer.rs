//! The opposite of an earlier transfer.

use domain_ledger::PlayerId;
use prost::Message as _;
use proto::wallet::v1::{ReverseTransferRequest, ReverseTransferResponse};
use service_kit::fields::Violations;
use service_kit::ids;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::operator;
use crate::cashier::{self, Reversal};
use crate::grpc::command::{Caller, Command, Failure, execute};
use crate::grpc::{Service, parse};

pub(super) async fn handle(
    service: &Service,
    request: Request<ReverseTransferRequest>,
) -> Result<Response<ReverseTransferResponse>, Status> {
    let principal = operator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let player = bad.check("player_id", ids::parse(&request.player_id));
    let transfer = bad.check("transfer_id", ids::parse(&request.transfer_id));
    let reason = parse::reason(&request.reason, &mut bad);
    let parsed = player.zip(transfer).zip(reason);
    let (caller, ((player, transfer), reason)) = parse::request(principal, &request.request_id, parsed, bad)?;
    let player = PlayerId::new(player.as_u128());
    let command = Reverse { request, player, transfer, reason };
    execute(&service.pool, &service.signal, caller, command).await.map(Response::new)
}

struct Reverse {
    request: ReverseTransferRequest,
    player: PlayerId,
    transfer: Uuid,
    reason: String,
}

impl Command for Reverse {
    type Response = ReverseTransferResponse;
    const NAME: &'static str = "ReverseTransfer";

    fn input(&self) -> Vec<u8> {
        self.request.encode_to_vec()
    }

    async fn run(
        &self,
        conn: &mut PgConnection,
        caller: &Caller,
    ) -> Result<ReverseTransferResponse, Failure> {
        let order = Reversal {
            player: self.player,
            transfer: self.transfer,
            reason: self.reason.clone(),
            reversed_by: caller.principal.player_id.to_string(),
        };
        let posting = cashier::reverse(conn, order, caller.metadata()).await?;
        let id = posting.transfers.first().map(|booked| Uuid::from_u128(booked.transfer.id().value()));
        Ok(ReverseTransferResponse { transfer_id: id.map(|id| id.to_string()).unwrap_or_default() })
    }
}
