//! `RatingCorrected`.

use domain_glicko::Pool;
use prost::Message as _;
use proto::rating::v1::{CorrectionKind as WireKind, PlayerRatingCorrection, RatingCorrected};

use super::{Reason, record};
use crate::app::correction::{Adjustment, Corrected, Correction, CorrectionKind, MadeCorrection, Ruling};
use crate::app::ended_game::{GameId, PlayerId};

/// The event's message; also what the correcting calls answer.
#[must_use]
pub fn message(made: &MadeCorrection) -> RatingCorrected {
    let (correction, ruling) = (&made.correction, &made.correction.ruling);
    RatingCorrected {
        game_id: correction.game_id.0.to_string(),
        pool: correction.pool.id.to_owned(),
        kind: match correction.kind {
            CorrectionKind::Voided => WireKind::Voided,
            CorrectionKind::Adjusted => WireKind::Adjusted,
        } as i32,
        players: made.players.iter().map(player).collect(),
        actor_id: ruling.actor_id.to_string(),
        reason: ruling.reason.clone(),
        request_id: ruling.request_id.to_string(),
        corrected_at_ms: ruling.at_ms,
        pool_sequence: made.sequence,
    }
}

fn player(corrected: &Corrected) -> PlayerRatingCorrection {
    PlayerRatingCorrection {
        player_id: corrected.adjustment.player.0.to_string(),
        before: Some(record::write(&corrected.before)),
        after: Some(record::write(&corrected.after)),
        points: corrected.adjustment.points,
        opponent_id: corrected.adjustment.opponent.0.to_string(),
    }
}

pub(super) fn write(made: &MadeCorrection) -> Vec<u8> {
    message(made).encode_to_vec()
}

pub(super) fn read(data: &[u8]) -> Result<MadeCorrection, Reason> {
    let message = RatingCorrected::decode(data)?;
    let pool = record::pool(&message.pool)?;
    let players = message.players.iter().map(|one| read_player(pool, one)).collect::<Result<Vec<_>, _>>()?;
    let kind = match message.kind() {
        WireKind::Voided => CorrectionKind::Voided,
        WireKind::Adjusted => CorrectionKind::Adjusted,
        WireKind::Unspecified => return Err(Reason("no such kind of correction".to_owned())),
    };
    let adjustments = players.iter().map(|one| one.adjustment).collect();
    let correction = Correction {
        game_id: GameId(message.game_id.parse()?),
        pool,
        kind,
        adjustments,
        ruling: Ruling {
            actor_id: message.actor_id.parse()?,
            request_id: message.request_id.parse()?,
            reason: message.reason,
            at_ms: message.corrected_at_ms,
        },
    };
    Ok(MadeCorrection { correction, sequence: message.pool_sequence, players })
}

fn read_player(pool: Pool, message: &PlayerRatingCorrection) -> Result<Corrected, Reason> {
    if !message.points.is_finite() {
        return Err(Reason("the points are not a number".to_owned()));
    }
    Ok(Corrected {
        adjustment: Adjustment {
            player: PlayerId(message.player_id.parse()?),
            opponent: PlayerId(message.opponent_id.parse()?),
            points: message.points,
        },
        before: record::read(pool, message.before.as_ref())?,
        after: record::read(pool, message.after.as_ref())?,
    })
}
