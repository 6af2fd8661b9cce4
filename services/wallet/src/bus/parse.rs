//! From the messages of others to orders. What cannot be read will never be readable, so the error is permanent.

use domain_ledger::{Amount, BasisPoints, Currency, Hold, MatchId, PlayerId};
use event_bus::HandleError;
use proto::matchmaking::v1::StakesRequested;
use uuid::Uuid;

use crate::app::GameId;
use crate::app::match_money::Order;

/// Reads a UUID; `field` is named in the error.
pub(super) fn uuid(field: &str, text: &str) -> Result<Uuid, HandleError> {
    Uuid::parse_str(text).map_err(|_| HandleError::Permanent(format!("{field} is not a UUID")))
}

pub(super) fn player(field: &str, text: &str) -> Result<PlayerId, HandleError> {
    Ok(PlayerId::new(uuid(field, text)?.as_u128()))
}

pub(super) fn match_id(text: &str) -> Result<MatchId, HandleError> {
    Ok(MatchId::new(uuid("match_id", text)?.as_u128()))
}

pub(super) fn game(text: &str) -> Result<GameId, HandleError> {
    Ok(GameId(uuid("game_id", text)?))
}

/// A request to hold stakes. Ids that are none are a fault of the message; terms that no ledger can hold are a reason to
/// refuse, so that the match ends and both players get an answer.
pub(super) fn hold(match_id: MatchId, request: &StakesRequested) -> Result<Order, HandleError> {
    let white = player("white_player_id", &request.white_player_id)?;
    let black = player("black_player_id", &request.black_player_id)?;
    let game = game(&request.game_id)?;
    let Some(terms) = terms(request) else {
        return Ok(Order::HoldMalformed);
    };
    let hold = Hold { match_id, white, black, stake: terms.stake, currency: terms.currency, fee: terms.fee };
    Ok(Order::Hold { hold, game })
}

struct Terms {
    stake: Amount,
    currency: Currency,
    fee: BasisPoints,
}

fn terms(request: &StakesRequested) -> Option<Terms> {
    let stake = request.stake.as_ref()?;
    Some(Terms {
        stake: Amount::new(stake.minor_units).ok()?,
        currency: Currency::parse(&stake.currency).ok()?,
        fee: BasisPoints::new(request.fee_basis_points).ok()?,
    })
}
