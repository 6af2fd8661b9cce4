//! A game under test: given a rule set and a position, when commands come, then events and refusals.

use std::sync::Arc;

use domain_chess::{
    Clocks, Color, Command, EndReason, Ended, Event, Game, MovePlayed, Outcome, Refusal, RuleSet, Standing,
    Start, StartPosition, TimeControl, TimeScale, decide, parse_uci,
};

pub const BLITZ: TimeControl = TimeControl::new(180_000, 2_000);

/// A game with its log and the server's time.
#[derive(Clone, Debug)]
pub struct Given {
    pub game: Game,
    pub events: Vec<Event>,
    pub now_ms: i64,
    pub lag_ms: u32,
}

/// `city` at 3+2 from the usual position, begun at 1,000 ms.
pub fn city() -> Given {
    game(RuleSet::city(), Some(BLITZ))
}

/// `fide` at 3+2 from the usual position: the set with claims.
pub fn fide() -> Given {
    game(RuleSet::fide(), Some(BLITZ))
}

pub fn game(rule_set: RuleSet, control: Option<TimeControl>) -> Given {
    begun(start(rule_set, control))
}

pub fn from_fen(rule_set: RuleSet, control: Option<TimeControl>, fen: &str) -> Given {
    let start_position = StartPosition::from_fen(fen).expect(fen);
    begun(Start { start_position, ..start(rule_set, control) })
}

pub fn scaled(rule_set: RuleSet, control: TimeControl, scale: u32) -> Given {
    let time_scale = TimeScale::new(scale).expect("a scale within bounds");
    begun(Start { time_scale, ..start(rule_set, Some(control)) })
}

pub fn rated(rule_set: RuleSet, control: Option<TimeControl>) -> Given {
    begun(Start { standing: Standing::Rated, ..start(rule_set, control) })
}

pub fn start(rule_set: RuleSet, control: Option<TimeControl>) -> Start {
    Start::new(Arc::new(rule_set), control, 1_000)
}

pub fn begun(start: Start) -> Given {
    let mut given = Given { game: Game::new(), events: Vec::new(), now_ms: start.now_ms, lag_ms: 0 };
    given.when(Command::Start(Box::new(start)));
    given
}

impl Given {
    /// Gives a command that is expected to be taken.
    pub fn when(&mut self, command: Command) -> Vec<Event> {
        self.attempt(command.clone()).unwrap_or_else(|refusal| panic!("{command:?} was refused: {refusal}"))
    }

    /// Gives a command, and holds CHESS-1, CHESS-3, CHESS-4 and CHESS-6 on the way.
    pub fn attempt(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        let before = format!("{:?}", self.game);
        let decided = decide(&self.game, &command);
        assert_eq!(before, format!("{:?}", self.game), "deciding changed the game");
        for event in decided.iter().flatten() {
            self.game.evolve(event);
            self.events.push(event.clone());
        }
        let replayed = Game::replay(&self.events).expect("what was decided fits");
        assert_eq!(format!("{replayed:?}"), format!("{:?}", self.game), "the replay differs");
        if let Some(clocks) = self.game.clocks() {
            assert!(clocks.white_ms >= 0 && clocks.black_ms >= 0, "negative clock: {clocks:?}");
        }
        decided
    }

    pub fn after_ms(&mut self, ms: i64) -> &mut Given {
        self.now_ms += ms;
        self
    }

    /// The side to move plays.
    pub fn play(&mut self, uci: &str) -> Vec<Event> {
        self.try_play(uci)
            .unwrap_or_else(|refusal| panic!("{uci} was refused at {}: {refusal}", self.game.fen()))
    }

    pub fn try_play(&mut self, uci: &str) -> Result<Vec<Event>, Refusal> {
        let command = self.a_move(self.game.side_to_move(), uci, self.game.ply() + 1)?;
        self.attempt(command)
    }

    pub fn a_move(&self, by: Color, uci: &str, expected_ply: u32) -> Result<Command, Refusal> {
        Ok(Command::PlayMove {
            by,
            uci: parse_uci(uci)?,
            expected_ply,
            now_ms: self.now_ms,
            lag_ms: self.lag_ms,
        })
    }

    /// Both sides play a list of moves in turn, all at the same instant.
    pub fn play_all(&mut self, moves: &str) -> &mut Given {
        for uci in moves.split_whitespace() {
            self.play(uci);
        }
        self
    }

    pub fn timer(&mut self) -> Vec<Event> {
        self.when(Command::TimerFired { now_ms: self.now_ms, lag_ms: self.lag_ms })
    }

    pub fn resign(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::Resign { by, now_ms: self.now_ms })
    }

    pub fn offer(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::OfferDraw { by, now_ms: self.now_ms })
    }

    pub fn accept(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::AcceptDraw { by, now_ms: self.now_ms })
    }

    pub fn decline(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::DeclineDraw { by, now_ms: self.now_ms })
    }

    pub fn claim(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::ClaimDraw { by, now_ms: self.now_ms })
    }

    pub fn gone(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::PlayerGone { by, now_ms: self.now_ms })
    }

    pub fn back(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::PlayerBack { by, now_ms: self.now_ms })
    }

    pub fn leave(&mut self, by: Color) -> Result<Vec<Event>, Refusal> {
        self.attempt(Command::LeaveTable { by, now_ms: self.now_ms })
    }

    /// Lets the flag of the side to move fall by the service's own timer.
    pub fn flag_falls(&mut self) -> &mut Given {
        self.now_ms = domain_chess::next_deadline_ms(&self.game, self.lag_ms).expect("a clock runs");
        self.timer();
        self
    }

    pub fn end(&self) -> Option<(Outcome, EndReason)> {
        self.game.end().map(|end: &Ended| (end.outcome, end.reason))
    }

    pub fn clocks(&self) -> Clocks {
        self.game.clocks().expect("the game has clocks")
    }

    pub fn last_move(&self) -> MovePlayed {
        let played = |event: &Event| match event {
            Event::MovePlayed(played) => Some(*played),
            _ => None,
        };
        self.events.iter().rev().find_map(played).expect("a move was played")
    }

    pub fn last_san(&self) -> String {
        self.last_move().san.to_string()
    }
}

/// The one `MovePlayed` among the events, if the move was played.
pub fn was_played(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::MovePlayed(_)))
}
