//! What a player is told once his request has taken effect.

use domain_chess::{Color, EndReason, Ended, Event, Game, MovePlayed};
use uuid::Uuid;

use super::{
    act::{Act, Action},
    journal::{Cause, Entry, JournalError, Record, Version},
    refused::Refused,
};

/// What a request led to. Made from the log alone, so the first answer can be given again at any time (GAME-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The place in the log of the first event that the request led to.
    pub version: Version,
    /// The move, if it was one.
    pub played: Option<MovePlayed>,
    /// How the game ended, if the request ended it.
    pub ended: Option<Ended>,
    /// How many draw offers the player has left after it; `None` without such a limit.
    pub offers_left: Option<u32>,
}

impl Receipt {
    /// The receipt for `entries`, all of one request, after which the game stands as in `game`. A request that came too
    /// late leads to the end of the game and not to what it asked for: then it is refused.
    pub(super) fn new(action: Action, by: Color, entries: &[Entry], game: &Game) -> Result<Receipt, Refused> {
        let mut receipt =
            Receipt { version: 0, played: None, ended: None, offers_left: offers_left(game, by) };
        let mut answered = false;
        for entry in entries {
            if receipt.version == 0 {
                receipt.version = entry.version;
            }
            answered |= answers(action, &entry.event);
            match &entry.event {
                Event::MovePlayed(played) => receipt.played = Some(*played),
                Event::Ended(ended) => receipt.ended = Some(*ended),
                _ => {}
            }
        }
        match (answered, receipt.ended) {
            (false, Some(ended)) => Err(Refused::GameOver { ended }),
            _ => Ok(receipt),
        }
    }
}

/// Whether the event is what the action asks for.
fn answers(action: Action, event: &Event) -> bool {
    match (action, event) {
        (Action::PlayMove { .. }, Event::MovePlayed(_))
        | (Action::OfferDraw, Event::DrawOffered { .. })
        | (Action::DeclineDraw, Event::DrawDeclined { .. }) => true,
        (Action::OfferDraw | Action::AcceptDraw, Event::Ended(ended)) => ended.reason == EndReason::Agreement,
        (Action::Resign, Event::Ended(ended)) => {
            matches!(ended.reason, EndReason::Resignation | EndReason::ResignationVsInsufficientMaterial)
        }
        (Action::ClaimDraw, Event::Ended(ended)) => {
            matches!(ended.reason, EndReason::ClaimThreefold | EndReason::ClaimFiftyMoves)
        }
        (Action::LeaveTable, Event::Ended(ended)) => ended.reason == EndReason::LeftTable,
        _ => false,
    }
}

fn offers_left(game: &Game, by: Color) -> Option<u32> {
    let most = game.rule_set().draw_offers.per_player_max?;
    Some(most.saturating_sub(game.draw_offers_made(by)))
}

/// The answer that `act` got when it came for the first time, or `None` if the log has nothing of it.
pub(super) fn earlier_answer(
    record: &Record,
    act: &Act,
    by: Color,
) -> Result<Option<Result<Receipt, Refused>>, JournalError> {
    let is_of_request = |entry: &Entry| is_of(entry.cause, by, act.request_id);
    let Some(first) = record.entries().iter().find(|entry| is_of_request(entry)) else { return Ok(None) };
    if !act.led_to(first.event_id, &first.event) {
        return Ok(Some(Err(Refused::RequestIdReused)));
    }
    let mut entries = Vec::new();
    let mut game_then = None;
    record
        .replay_each(|entry, game| {
            if is_of_request(entry) {
                entries.push(entry.clone());
                game_then = Some(game.clone());
            }
        })
        .map_err(|misfit| JournalError::misfit(act.game_id, misfit))?;
    Ok(game_then.map(|game| Receipt::new(act.action, by, &entries, &game)))
}

fn is_of(cause: Cause, by: Color, request_id: Uuid) -> bool {
    cause == Cause::Request { by, request_id }
}
