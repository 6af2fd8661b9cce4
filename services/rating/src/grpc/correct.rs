//! What both correcting calls share: who asks and why, and what is answered.

use proto::rating::v1::RatingCorrected;
use service_kit::auth::Principal;
use service_kit::fields::Violations;
use service_kit::ids;
use tonic::Status;
use uuid::Uuid;

use super::{Service, now_ms, status};
use crate::app::correction::{REASON_CHARS_MAX, Ruling};
use crate::app::ended_game::GameId;
use crate::corrections::{self, Wish};
use crate::store::codec;

/// The fields that both calls have.
pub(super) struct Asked {
    pub(super) request_id: Uuid,
    pub(super) game_id: GameId,
    pub(super) reason: String,
}

/// Reads them; nothing, and violations, when one is bad.
pub(super) fn asked(
    request_id: &str,
    game_id: &str,
    reason: &str,
    violations: &mut Violations,
) -> Option<Asked> {
    let request_id = violations.check("request_id", ids::parse(request_id));
    let game_id = violations.check("game_id", ids::parse(game_id));
    let reason = violations.check("reason", read_reason(reason));
    Some(Asked { request_id: request_id?, game_id: GameId(game_id?), reason: reason? })
}

fn read_reason(text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err("is missing".to_owned());
    }
    if trimmed.chars().count() > REASON_CHARS_MAX {
        return Err(format!("has more than {REASON_CHARS_MAX} characters"));
    }
    if trimmed.contains('\0') {
        return Err("must not contain NUL".to_owned());
    }
    Ok(trimmed.to_owned())
}

/// Corrects, and answers with the event.
pub(super) async fn correct(
    service: &Service,
    principal: &Principal,
    asked: Asked,
    wish: Wish,
) -> Result<RatingCorrected, Status> {
    let ruling = Ruling {
        actor_id: principal.player_id,
        request_id: asked.request_id,
        reason: asked.reason,
        at_ms: now_ms(),
    };
    corrections::correct(&service.pool, &service.signal, asked.game_id, wish, ruling)
        .await
        .map(|made| codec::correction_message(&made))
        .map_err(status::of_correct)
}
