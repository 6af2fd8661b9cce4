//! How events change a game. Nothing is decided here: an event is believed, as long as it fits.

use shakmaty::ByColor;

use crate::{
    clock::{Clocks, LagLimits},
    event::{Event, MovePlayed, Started},
    game::{Facts, Game, Phase, Turn},
    position::Board,
    refusal::Misfit,
};

impl Facts {
    pub(crate) fn new(started: &Started) -> Facts {
        let lag_limits = match (started.rule_set.lag_credit, started.time_control) {
            (Some(credit), Some(control)) => Some(LagLimits::new(credit, control)),
            _ => None,
        };
        let allowance_ms = lag_limits.map_or(0, LagLimits::at_start);
        Facts {
            started: started.clone(),
            lag_limits,
            board: Board::new(&started.start_position),
            ply: 0,
            moves_made: ByColor::default(),
            clocks: started.time_control.map(Clocks::at_start),
            lag_allowance_ms: ByColor { white: allowance_ms, black: allowance_ms },
            offers: ByColor::default(),
            last_event_at_ms: started.at_ms,
        }
    }
}

impl Game {
    /// Takes in an event that [`crate::decide`] has just given for this very game.
    ///
    /// # Panics
    ///
    /// When the event was decided for another game: a bug of the caller's. Stored events go through [`Game::apply`].
    pub fn evolve(&mut self, event: &Event) {
        self.apply(event).expect("what is decided for a game can always evolve it");
    }

    /// Takes in a stored event.
    ///
    /// # Errors
    ///
    /// [`Misfit`] when the event cannot follow what has happened so far; the game is then unchanged.
    pub fn apply(&mut self, event: &Event) -> Result<(), Misfit> {
        match (&mut self.phase, event) {
            (Phase::NotStarted, Event::Started(started)) => {
                self.facts = Facts::new(started);
                self.phase = Phase::Playing(Turn::at_start(started.at_ms));
            }
            (Phase::NotStarted, _) => return Err(Misfit::BeforeStart),
            (Phase::Playing(_) | Phase::Ended(_), Event::Started(_)) => return Err(Misfit::SecondStart),
            (Phase::Ended(_), _) => return Err(Misfit::AfterEnd),
            (Phase::Playing(turn), Event::MovePlayed(played)) => self.facts.play(turn, played)?,
            (Phase::Playing(turn), Event::DrawOffered { by, .. }) => {
                turn.offer = Some(*by);
                let own_moves = *self.facts.moves_made.get(*by);
                let offers = self.facts.offers.get_mut(*by);
                offers.made += 1;
                offers.last_after_own_moves = Some(own_moves);
            }
            (Phase::Playing(turn), Event::DrawDeclined { .. }) => turn.offer = None,
            (Phase::Playing(turn), Event::PlayerGone { by, at_ms }) => {
                *turn.gone_since_ms.get_mut(*by) = Some(*at_ms);
            }
            (Phase::Playing(turn), Event::PlayerBack { by, .. }) => *turn.gone_since_ms.get_mut(*by) = None,
            (Phase::Playing(turn), Event::Resumed { stood_still_ms, .. }) => turn.put_off(*stood_still_ms),
            (Phase::Playing(_), Event::Ended(ended)) => {
                self.facts.clocks = ended.clocks;
                self.phase = Phase::Ended(*ended);
            }
        }
        // That a player went is noted a little later than it was so, and a move may stand in between.
        self.facts.last_event_at_ms = event.at_ms().max(self.facts.last_event_at_ms);
        Ok(())
    }
}

impl Facts {
    fn play(&mut self, turn: &mut Turn, played: &MovePlayed) -> Result<(), Misfit> {
        if played.ply != self.ply + 1 {
            return Err(Misfit::WrongPly { current_ply: self.ply, found: played.ply });
        }
        let illegal = Misfit::IllegalMove { ply: played.ply };
        let m = played.uci.to_move(self.board.position()).map_err(|_| illegal)?;
        let mover = self.board.turn();
        self.board.play(m);
        self.ply = played.ply;
        *self.moves_made.get_mut(mover) += 1;
        self.clocks = played.clocks;
        if let Some(limits) = self.lag_limits {
            let allowance_ms = self.lag_allowance_ms.get_mut(mover);
            *allowance_ms = limits.after_move(*allowance_ms, played.lag_credit_ms);
        }
        turn.began_at_ms = played.received_at_ms;
        // An offer outlives the offerer's own move and lapses with the opponent's (case C01).
        if turn.offer == Some(mover.other()) {
            turn.offer = None;
        }
        Ok(())
    }
}

impl Turn {
    fn at_start(at_ms: i64) -> Turn {
        Turn { began_at_ms: at_ms, offer: None, gone_since_ms: ByColor::default() }
    }

    fn put_off(&mut self, stood_still_ms: i64) {
        self.began_at_ms = self.began_at_ms.saturating_add(stood_still_ms);
        for gone_since_ms in self.gone_since_ms.iter_mut().flatten() {
            *gone_since_ms = gone_since_ms.saturating_add(stood_still_ms);
        }
    }
}
