//! The rules of a game of chess as Stakemate plays it: a pure decider over plain data.
//!
//! A [`Game`] is what its events made of it. [`decide`] says what a [`Command`] makes of a game: events, or a
//! [`Refusal`]. The service keeps the events, arms one timer at [`next_deadline_ms`], and does nothing else.
//!
//! ```
//! use std::sync::Arc;
//! use domain_chess::{Color, Command, Game, RuleSet, Start, TimeControl, decide, parse_uci};
//!
//! let mut game = Game::new();
//! let start = Start::new(Arc::new(RuleSet::city()), Some(TimeControl::new(180_000, 2_000)), 0);
//! for event in decide(&game, &Command::Start(Box::new(start)))? {
//!     game.evolve(&event);
//! }
//! let e4 = Command::PlayMove {
//!     by: Color::White, uci: parse_uci("e2e4")?, expected_ply: 1, now_ms: 1_000, lag_ms: 40,
//! };
//! for event in decide(&game, &e4)? {
//!     game.evolve(&event);
//! }
//! assert_eq!(game.clocks().map(|clocks| clocks.white_ms), Some(182_000));
//! # Ok::<(), domain_chess::Refusal>(())
//! ```
//!
//! # Map
//!
//! | module | what it is about |
//! |---|---|
//! | `rule_set`, `presets` | the rules as fields, and the five sets in use |
//! | `command`, `event`, `outcome`, `refusal` | the words of the decider |
//! | `game`, `apply` | state and how events change it |
//! | `decide` (`play`, `draw`) | what commands make of it |
//! | `deadline` | flag fall, missing first moves, players gone too long |
//! | `clock`, `lag_meter`, `time_control` | clocks and network delay |
//! | `position` | start positions, repetitions |
//! | `material`, `unwinnability` | who can still mate |
//! | `notation`, `pgn` | UCI and SAN, and whole games as text |
//! | `pgn_import` | games of other programs as events |
//! | `archive` | finished games in few bytes |
//!
//! # Invariants
//!
//! * CHESS-1: a replay needs nothing but the events, and the same events always lead to the same game.
//! * CHESS-2: `decide` looks at nothing but the game and the command: no clock, no randomness, no environment.
//! * CHESS-3: a refused command changes nothing, neither board nor clock.
//! * CHESS-4: no clock in any event is negative, nor more than base + increments so far.
//! * CHESS-5: a game ends once. A deadline that has passed is settled before anything else, whichever of a late timer and
//!   a late command comes first, and always at the deadline's own instant.
//! * CHESS-6: what is decided can always be evolved.
//! * CHESS-7: a stop of the server costs no player time and ends no game.
//! * CHESS-8: nothing depends on a rule set's name, only on its fields.
//! * CHESS-9: a credit for network delay is at most what was measured, the limit per move, what is left of the allowance,
//!   and the time that passed; it never adds to a clock.
//!
//! # Deliberately absent
//!
//! Timers, storage, wire types, ids of players and games, Chess960, take-backs (practice makes a new game from a
//! shorter list of moves), conditional moves (a move for another ply is refused, never kept), and rematches.

mod apply;
pub mod archive;
mod clock;
mod command;
mod deadline;
mod decide;
mod event;
mod game;
mod lag_meter;
pub mod material;
mod notation;
mod outcome;
pub mod pgn;
pub mod pgn_import;
mod position;
mod presets;
mod refusal;
mod rule_set;
mod time_control;
pub mod unwinnability;

pub use clock::{Clocks, LagLimits};
pub use command::{Command, Start};
pub use deadline::{gone_deadline_ms, gone_ms_max, next_deadline_ms};
pub use decide::decide;
pub use event::{Ended, Event, MovePlayed, Started};
pub use game::Game;
pub use lag_meter::LagMeter;
pub use notation::{parse_uci, read_san};
pub use outcome::{EndReason, Outcome};
pub use position::{FEN_BYTES_MAX, FULLMOVES_MAX, FenRefusal, HALFMOVES_MAX, StartPosition};
pub use refusal::{Misfit, Refusal};
pub use rule_set::{
    ClockStart, ColourPolicy, DrawOfferPolicy, DrawRule, LagCredit, LeavingPolicy, MaterialRule, MatingRule,
    RatingPolicy, ResignationRule, RuleSet, StakePolicy, Standing, TableLeaving, TimeControlPolicy,
    TimedControls, UntimedGames,
};
pub use shakmaty::{ByColor, ByRole, Chess, Color, Role, san::SanPlus, uci::UciMove};
pub use time_control::{BASE_MS_MAX, INCREMENT_MS_MAX, TIME_SCALE_MAX, TimeControl, TimeScale};
