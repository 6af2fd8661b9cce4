//! Answers an offer of another game.

use proto::game::v1 as pb;
use service_kit::{auth, status as kit};
use tonic::{Request, Status};

use super::TableDesk;
use crate::app::{PlayerId, Sitter, TableCommand};

pub(super) async fn handle(
    desk: &TableDesk,
    request: Request<pb::AnswerRematchRequest>,
) -> Result<pb::AnswerRematchResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let answer: fn(PlayerId) -> TableCommand = match request.answer() {
        pb::RematchAnswer::Accept => TableCommand::AcceptRematch,
        pb::RematchAnswer::Decline => TableCommand::DeclineRematch,
        pb::RematchAnswer::Unspecified => {
            return Err(kit::invalid_argument([("answer", "must be ACCEPT or DECLINE")]));
        }
    };
    let command = |sitter: Sitter| answer(sitter.seat.player_id);
    let table = desk.act(&principal, &request.request_id, &request.table_id, command).await?;
    Ok(pb::AnswerRematchResponse { table: Some(table) })
}
