//! Draw offers and claims.

use shakmaty::Color;

use super::{end, play};
use crate::{
    event::Event,
    game::Game,
    outcome::{EndReason, Outcome},
    refusal::Refusal,
    rule_set::DrawRule,
};

pub(super) fn offer(game: &Game, by: Color, now_ms: i64) -> Result<Vec<Event>, Refusal> {
    match game.draw_offer() {
        // Crossing offers agree, and agreeing is not limited.
        Some(offerer) if offerer != by => return Ok(vec![agreed(game, now_ms)]),
        Some(_) => return Err(Refusal::DrawOfferOpen),
        None => {}
    }
    let policy = &game.rule_set().draw_offers;
    let offers = game.facts.offers.get(by);
    if policy.per_player_max.is_some_and(|most| offers.made >= most) {
        return Err(Refusal::DrawOfferLimit);
    }
    let own_moves = *game.facts.moves_made.get(by);
    let due_after = match offers.last_after_own_moves {
        Some(last) => last.saturating_add(policy.own_moves_between),
        None => policy.first_after_own_moves,
    };
    if own_moves < due_after {
        return Err(Refusal::DrawOfferTooSoon { own_moves_left: due_after - own_moves });
    }
    Ok(vec![Event::DrawOffered { by, at_ms: now_ms }])
}

pub(super) fn accept(game: &Game, by: Color, now_ms: i64) -> Result<Vec<Event>, Refusal> {
    opponents_offer(game, by)?;
    Ok(vec![agreed(game, now_ms)])
}

pub(super) fn decline(game: &Game, by: Color, now_ms: i64) -> Result<Vec<Event>, Refusal> {
    opponents_offer(game, by)?;
    Ok(vec![Event::DrawDeclined { by, at_ms: now_ms }])
}

/// A claim goes for the position on the board: before one's own move, or after the own move that brought it about.
pub(super) fn claim(game: &Game, by: Color, now_ms: i64) -> Result<Vec<Event>, Refusal> {
    if game.rule_set().draws != DrawRule::ByClaim {
        return Err(Refusal::NotAllowedByRuleSet);
    }
    if by != game.side_to_move() && game.ply() == 0 {
        return Err(Refusal::NothingToClaim);
    }
    let reason = play::claimable(game).ok_or(Refusal::NothingToClaim)?;
    Ok(vec![end(game, Outcome::Draw, reason, now_ms)])
}

/// There is no taking back, so the offerer can answer his own offer in no way (case C02).
fn opponents_offer(game: &Game, by: Color) -> Result<(), Refusal> {
    match game.draw_offer() {
        Some(offerer) if offerer != by => Ok(()),
        Some(_) => Err(Refusal::OwnDrawOffer),
        None => Err(Refusal::NoDrawOffer),
    }
}

fn agreed(game: &Game, now_ms: i64) -> Event {
    end(game, Outcome::Draw, EndReason::Agreement, now_ms)
}
