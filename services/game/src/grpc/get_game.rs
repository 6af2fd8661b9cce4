//! One game as it stands.

use proto::game::v1 as pb;
use service_kit::{ids, status as kit};
use tonic::Status;

use super::{Service, convert, status};
use crate::app::GameId;

pub(super) async fn handle(
    service: &Service,
    request: pb::GetGameRequest,
) -> Result<pb::GetGameResponse, Status> {
    let game_id = GameId(ids::uuid("game_id", &request.game_id)?);
    let record = service.games.read(game_id).await.map_err(status::of_read)?;
    let game = record.replay().map_err(kit::internal)?;
    Ok(pb::GetGameResponse {
        game: Some(convert::game(&record, &game, service.games.now_ms())),
        sequence: convert::sequence(record.version()),
    })
}
