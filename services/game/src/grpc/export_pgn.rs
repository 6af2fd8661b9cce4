//! A game as PGN.

use proto::game::v1 as pb;
use service_kit::{ids, status as kit};
use tonic::Status;

use super::{Service, status};
use crate::{app::GameId, score_sheet, store};

pub(super) async fn handle(
    service: &Service,
    request: pb::ExportPgnRequest,
) -> Result<pb::ExportPgnResponse, Status> {
    let game_id = GameId(ids::uuid("game_id", &request.game_id)?);
    let record = service.games.read(game_id).await.map_err(status::of_read)?;
    // Only an imported game has tags of its own, and it is in no live log.
    let tags = match record.facts().city_id.0.as_str() {
        store::library::CITY => {
            store::archive::tags(&service.pool, game_id).await.map_err(|error| kit::from_sqlx(&error))?
        }
        _ => Vec::new(),
    };
    Ok(pb::ExportPgnResponse { pgn: score_sheet::write(&record, &tags) })
}
