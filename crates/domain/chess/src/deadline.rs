//! The instants at which a game ends by itself if nobody does anything.

use shakmaty::Color;

use crate::{
    clock::Lag,
    command::Command,
    event::Ended,
    game::Game,
    material,
    outcome::{EndReason, Outcome},
    rule_set::Standing,
};

/// When the service has to give a [`Command::TimerFired`] at the latest: the first of flag fall, the abort of a game
/// whose first move is missing, and a player's having been gone too long. `None` when nothing can happen by itself.
///
/// `lag_ms` is the measured round trip of the side to move, which puts off a fallen flag by what it would be credited
/// (0 when there is none). Ask again after every event, and when a timer fired that decided nothing.
pub fn next_deadline_ms(game: &Game, lag_ms: u32) -> Option<i64> {
    earliest(game, Lag::Measured(lag_ms)).map(|deadline| deadline.at_ms)
}

/// When the side to move loses by having been gone too long, unless he comes back: counted from the later of his going and the
/// start of his turn. `None` while he is there, and where only the clock decides.
pub fn gone_deadline_ms(game: &Game) -> Option<i64> {
    let turn = game.turn()?;
    let gone_since_ms = (*turn.gone_since_ms.get(game.side_to_move()))?;
    Some(gone_since_ms.max(turn.began_at_ms).saturating_add(i64::from(gone_ms_max(game)?)))
}

/// How long a player may be gone while on move before he loses this game; `None` where only the clock decides.
pub fn gone_ms_max(game: &Game) -> Option<u32> {
    let leaving = &game.rule_set().leaving;
    match (game.time_control(), game.started()?.standing) {
        (Some(_), _) => leaving.gone_timed_ms,
        (None, Standing::Rated) => leaving.gone_untimed_rated_ms,
        (None, Standing::Casual) => None,
    }
}

/// The end that a command comes too late to prevent.
///
/// Whatever the command asks for, a deadline that has passed is settled first, so the order in which a late timer and
/// a late command arrive never changes how a game ends (CHESS-5, cases B01, B22, C07).
pub(crate) fn overdue(game: &Game, command: &Command) -> Option<Ended> {
    let lag = match command {
        Command::TimerFired { lag_ms, .. } => Lag::Measured(*lag_ms),
        Command::PlayMove { by, lag_ms, .. } if *by == game.side_to_move() => Lag::Measured(*lag_ms),
        _ => Lag::Unknown,
    };
    earliest(game, lag)
        .filter(|deadline| command.now_ms() >= deadline.at_ms)
        .map(|deadline| deadline.end(game))
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    at_ms: i64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    FirstMove,
    Flag,
    Gone,
}

fn earliest(game: &Game, lag: Lag) -> Option<Deadline> {
    let of = |kind| move |at_ms| Deadline { at_ms, kind };
    [
        game.first_move_due_at_ms().map(of(Kind::FirstMove)),
        game.running_clock().map(|clock| clock.flag_at_ms(lag)).map(of(Kind::Flag)),
        gone_deadline_ms(game).map(of(Kind::Gone)),
    ]
    .into_iter()
    .flatten()
    .min_by_key(|deadline| deadline.at_ms)
}

impl Deadline {
    fn end(self, game: &Game) -> Ended {
        let mover = game.side_to_move();
        let clocks = game.clocks_at(self.at_ms);
        let (outcome, reason, clocks) = match self.kind {
            Kind::FirstMove => (Outcome::Aborted, EndReason::AbortedNoFirstMove, clocks),
            Kind::Gone => (lost_by_leaving(game, mover), EndReason::Abandonment, clocks),
            Kind::Flag => {
                let (outcome, reason) = lost_on_time(game, mover);
                (outcome, reason, clocks.map(|clocks| clocks.with(mover, 0)))
            }
        };
        Ended { outcome, reason, at_ms: self.at_ms, clocks }
    }
}

fn lost_on_time(game: &Game, loser: Color) -> (Outcome, EndReason) {
    if material::can_mate(game.rule_set().flag, game.position(), loser.other()) {
        (Outcome::won_by(loser.other()), EndReason::Time)
    } else {
        (Outcome::Draw, EndReason::TimeVsInsufficientMaterial)
    }
}

/// What leaving is worth to the one who stays.
pub(crate) fn lost_by_leaving(game: &Game, loser: Color) -> Outcome {
    let rules = game.rule_set();
    if rules.leaving.leaving_spares_material
        && !material::can_mate(rules.flag, game.position(), loser.other())
    {
        Outcome::Draw
    } else {
        Outcome::won_by(loser.other())
    }
}
