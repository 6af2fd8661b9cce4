//! Playing a move, and the ends that a position brings about.

use shakmaty::{
    Chess, Color, Position as _,
    san::{San, SanPlus, Suffix},
    uci::UciMove,
};

use crate::{
    clock::{Charge, Clocks, Lag},
    event::{Ended, Event, MovePlayed},
    game::Game,
    material, notation,
    outcome::{EndReason, Outcome},
    refusal::Refusal,
    rule_set::{DrawRule, RuleSet},
};

/// How often a position stands before the game ends by itself, or before it can be claimed.
const THREEFOLD: usize = 3;
/// How often a position stands before the game ends by itself where the third time has to be claimed.
const FIVEFOLD: usize = 5;
/// Fifty moves by both sides.
const FIFTY_MOVES_PLIES: u32 = 100;
/// Seventy-five moves by both sides.
const SEVENTY_FIVE_MOVES_PLIES: u32 = 150;

/// A move as it came in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) by: Color,
    pub(super) uci: UciMove,
    pub(super) expected_ply: u32,
    pub(super) now_ms: i64,
    pub(super) lag_ms: u32,
}

pub(super) fn play_move(game: &Game, attempt: Attempt) -> Result<Vec<Event>, Refusal> {
    let ply = game.ply() + 1;
    // Looked at before the turn: a move sent twice must hear that it is stale, not that it is out of turn (case C11).
    if attempt.expected_ply != ply {
        return Err(Refusal::StalePly { current_ply: game.ply() });
    }
    if attempt.by != game.side_to_move() {
        return Err(Refusal::NotYourTurn);
    }
    let m = notation::legal_move(game.position(), attempt.uci)?;
    let san = San::from_move(game.position(), m);
    let next = game.facts.board.look_ahead(m);
    let standing = Board {
        rules: game.rule_set(),
        position: &next.position,
        check: next.position.is_check(),
        stuck: next.position.legal_moves().is_empty(),
        repetitions: game.facts.board.repetitions_of(&next),
    };
    let charge = charge(game, attempt);
    let clocks = clocks_after(game, charge);
    let played = Event::MovePlayed(MovePlayed {
        ply,
        uci: attempt.uci,
        san: SanPlus { san, suffix: standing.suffix() },
        received_at_ms: attempt.now_ms,
        elapsed_ms: charge.elapsed_ms,
        charged_ms: charge.charged_ms,
        lag_credit_ms: charge.lag_credit_ms,
        clocks,
    });
    let ended = standing
        .ending()
        .map(|(outcome, reason)| Event::Ended(Ended { outcome, reason, at_ms: attempt.now_ms, clocks }));
    let mut events = Vec::with_capacity(2);
    events.push(played);
    events.extend(ended);
    Ok(events)
}

/// The end that the position on the board brings about by itself.
pub(super) fn ending_on_the_board(game: &Game) -> Option<(Outcome, EndReason)> {
    let position = game.position();
    Board {
        rules: game.rule_set(),
        position,
        check: position.is_check(),
        stuck: position.legal_moves().is_empty(),
        repetitions: game.repetitions(),
    }
    .ending()
}

/// The draw that a player may claim for the position on the board.
pub(super) fn claimable(game: &Game) -> Option<EndReason> {
    if game.repetitions() >= THREEFOLD {
        Some(EndReason::ClaimThreefold)
    } else if game.halfmoves() >= FIFTY_MOVES_PLIES {
        Some(EndReason::ClaimFiftyMoves)
    } else {
        None
    }
}

/// What there is to know of a position to tell whether it ends the game.
struct Board<'a> {
    rules: &'a RuleSet,
    position: &'a Chess,
    check: bool,
    stuck: bool,
    repetitions: usize,
}

impl Board<'_> {
    fn suffix(&self) -> Option<Suffix> {
        match (self.check, self.stuck) {
            (true, true) => Some(Suffix::Checkmate),
            (true, false) => Some(Suffix::Check),
            (false, _) => None,
        }
    }

    /// Mate and stalemate come before everything else: a mating move that is also the hundredth wins (case A11).
    fn ending(&self) -> Option<(Outcome, EndReason)> {
        if self.stuck {
            return Some(if self.check {
                (Outcome::won_by(self.position.turn().other()), EndReason::Checkmate)
            } else {
                (Outcome::Draw, EndReason::Stalemate)
            });
        }
        self.drawn().map(|reason| (Outcome::Draw, reason))
    }

    fn drawn(&self) -> Option<EndReason> {
        if material::is_dead(self.rules.insufficient_material, self.position.board()) {
            return Some(EndReason::InsufficientMaterial);
        }
        let halfmoves = self.position.halfmoves();
        match self.rules.draws {
            DrawRule::Automatic if self.repetitions >= THREEFOLD => Some(EndReason::Threefold),
            DrawRule::Automatic if halfmoves >= FIFTY_MOVES_PLIES => Some(EndReason::FiftyMoves),
            DrawRule::ByClaim if self.repetitions >= FIVEFOLD => Some(EndReason::Fivefold),
            DrawRule::ByClaim if halfmoves >= SEVENTY_FIVE_MOVES_PLIES => Some(EndReason::SeventyFiveMoves),
            DrawRule::Automatic | DrawRule::ByClaim => None,
        }
    }
}

fn charge(game: &Game, attempt: Attempt) -> Charge {
    if let Some(running) = game.running_clock() {
        return running.charge(attempt.now_ms, Lag::Measured(attempt.lag_ms));
    }
    let began_at_ms = game.turn_began_at_ms().unwrap_or(attempt.now_ms);
    let elapsed_ms = attempt.now_ms.saturating_sub(began_at_ms).max(0);
    Charge { elapsed_ms, lag_credit_ms: 0, charged_ms: 0 }
}

/// The increment is added after every move, the untimed first one included.
fn clocks_after(game: &Game, charge: Charge) -> Option<Clocks> {
    let (clocks, control) = (game.clocks()?, game.time_control()?);
    let mover = game.side_to_move();
    let remaining_ms = (clocks[mover] - charge.charged_ms).max(0);
    Some(clocks.with(mover, remaining_ms + i64::from(control.increment_ms)))
}
