//! What a command makes of a game: a pure function (CHESS-2).

mod draw;
mod play;

use shakmaty::Color;

use crate::{
    command::{Command, Start},
    deadline,
    event::{Ended, Event, Started},
    game::{Game, Phase},
    material,
    outcome::{EndReason, Outcome},
    refusal::Refusal,
    rule_set::{ResignationRule, TableLeaving},
};

/// Decides what `command` makes of `game`. Evolve the game by every event given, in their order.
///
/// * A move that ends the game gives [`Event::MovePlayed`] and [`Event::Ended`] together.
/// * A command that comes at or after the game's deadline (see [`crate::next_deadline_ms`]) does **not** give what it asks
///   for but the single [`Event::Ended`] of that deadline. So after a [`Command::PlayMove`], look for a `MovePlayed`
///   among the events: without one the move was not played, the game has just ended, and the mover is to be told that
///   the game is over.
/// * No events at all mean that nothing changes: a timer that fired too early, a player reported gone twice.
///
/// # Errors
///
/// A [`Refusal`]; the game is as it was.
pub fn decide(game: &Game, command: &Command) -> Result<Vec<Event>, Refusal> {
    match (&game.phase, command) {
        (Phase::NotStarted, Command::Start(start)) => return begin(start),
        (Phase::NotStarted, _) => return Err(Refusal::NotStarted),
        (Phase::Playing(_) | Phase::Ended(_), Command::Start(_)) => return Err(Refusal::AlreadyStarted),
        (Phase::Ended(_), _) => return Err(Refusal::GameOver),
        // A stop of the server ends no game: what it cost is given back before any deadline is looked at (case B07).
        (Phase::Playing(_), Command::Resume { now_ms, alive_until_ms }) => {
            return Ok(vec![resume(game, *now_ms, *alive_until_ms)]);
        }
        (Phase::Playing(_), _) => {}
    }
    if let Some(ended) = deadline::overdue(game, command) {
        return Ok(vec![Event::Ended(ended)]);
    }
    match *command {
        Command::PlayMove { by, uci, expected_ply, now_ms, lag_ms } => {
            play::play_move(game, play::Attempt { by, uci, expected_ply, now_ms, lag_ms })
        }
        Command::Resign { by, now_ms } => Ok(vec![resign(game, by, now_ms)]),
        Command::OfferDraw { by, now_ms } => draw::offer(game, by, now_ms),
        Command::AcceptDraw { by, now_ms } => draw::accept(game, by, now_ms),
        Command::DeclineDraw { by, now_ms } => draw::decline(game, by, now_ms),
        Command::ClaimDraw { by, now_ms } => draw::claim(game, by, now_ms),
        Command::PlayerGone { by, now_ms } => Ok(match game.gone_since_ms(by) {
            None => vec![Event::PlayerGone { by, at_ms: now_ms }],
            Some(_) => Vec::new(),
        }),
        Command::PlayerBack { by, now_ms } => Ok(match game.gone_since_ms(by) {
            Some(_) => vec![Event::PlayerBack { by, at_ms: now_ms }],
            None => Vec::new(),
        }),
        Command::LeaveTable { by, now_ms } => leave_table(game, by, now_ms),
        Command::AbortByServer { now_ms } => {
            Ok(vec![end(game, Outcome::Aborted, EndReason::AbortedServer, now_ms)])
        }
        // The timer fired too early; the others were dealt with above.
        Command::TimerFired { .. } | Command::Start(_) | Command::Resume { .. } => Ok(Vec::new()),
    }
}

/// The end of a game at `now_ms`, with the clocks as they stand then.
pub(crate) fn end(game: &Game, outcome: Outcome, reason: EndReason, now_ms: i64) -> Event {
    Event::Ended(Ended { outcome, reason, at_ms: now_ms, clocks: game.clocks_at(now_ms) })
}

fn begin(start: &Start) -> Result<Vec<Event>, Refusal> {
    let rules = &start.rule_set;
    if !rules.time_controls.allows(start.time_control) || !rules.rating.allows(start.standing) {
        return Err(Refusal::NotAllowedByRuleSet);
    }
    let started = Event::Started(Box::new(Started {
        rule_set: start.rule_set.clone(),
        time_control: start.time_control,
        start_position: start.start_position.clone(),
        standing: start.standing,
        time_scale: start.time_scale,
        at_ms: start.now_ms,
    }));
    // A start position may already be the end of the game, for example bare kings (case A24).
    let mut game = Game::new();
    game.evolve(&started);
    let ending = play::ending_on_the_board(&game);
    let ended = ending.map(|(outcome, reason)| end(&game, outcome, reason, start.now_ms));
    Ok(std::iter::once(started).chain(ended).collect())
}

fn resume(game: &Game, now_ms: i64, alive_until_ms: Option<i64>) -> Event {
    let last_event_at_ms = game.last_event_at_ms();
    let stopped_at_ms = alive_until_ms.unwrap_or(last_event_at_ms).max(last_event_at_ms);
    Event::Resumed { at_ms: now_ms, stood_still_ms: now_ms.saturating_sub(stopped_at_ms).max(0) }
}

fn resign(game: &Game, by: Color, now_ms: i64) -> Event {
    let winner = by.other();
    match game.rule_set().resignation {
        ResignationRule::DrawWhenOpponentCannotMate(rule)
            if !material::can_mate(rule, game.position(), winner) =>
        {
            end(game, Outcome::Draw, EndReason::ResignationVsInsufficientMaterial, now_ms)
        }
        ResignationRule::DrawWhenOpponentCannotMate(_) | ResignationRule::Loses => {
            end(game, Outcome::won_by(winner), EndReason::Resignation, now_ms)
        }
    }
}

fn leave_table(game: &Game, by: Color, now_ms: i64) -> Result<Vec<Event>, Refusal> {
    match game.rule_set().leaving.table {
        TableLeaving::Loses => {
            Ok(vec![end(game, deadline::lost_by_leaving(game, by), EndReason::LeftTable, now_ms)])
        }
        TableLeaving::NoTable => Err(Refusal::NotAllowedByRuleSet),
    }
}
