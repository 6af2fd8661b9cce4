//! What a game is played by, as plain data.
//!
//! Every difference between the rule sets is a field here, so no code ever asks for a set's name. The whole set is
//! kept in the game's first event: changing a preset later never changes a game already played.

use crate::time_control::TimeControl;

/// The rules one game is played by. See `presets.rs` for the five sets in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// For people and logs only. Nothing branches on it (CHESS-8).
    pub name: String,
    /// Which time controls a game may be started with.
    pub time_controls: TimeControlPolicy,
    /// What starts the clocks.
    pub clock_start: ClockStart,
    /// The credit for network delay; `None` when every millisecond is charged.
    pub lag_credit: Option<LagCredit>,
    /// How repetitions and quiet moves end a game.
    pub draws: DrawRule,
    /// When neither side has enough left to mate.
    pub insufficient_material: MaterialRule,
    /// When a fallen flag is a draw because the opponent could not have mated.
    pub flag: MatingRule,
    /// What resigning gives the opponent.
    pub resignation: ResignationRule,
    /// How often a draw may be offered.
    pub draw_offers: DrawOfferPolicy,
    /// What happens to a player who goes away.
    pub leaving: LeavingPolicy,
    /// How colours are given out (used by whoever seats the players).
    pub colours: ColourPolicy,
    /// Whether games of this set move ratings.
    pub rating: RatingPolicy,
    /// Whether money may ride on games of this set.
    pub stakes: StakePolicy,
}

/// Which time controls a game may be started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControlPolicy {
    /// The timed ones.
    pub timed: TimedControls,
    /// Whether a game without clocks is allowed.
    pub untimed: UntimedGames,
}

/// The timed controls of a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedControls {
    /// No timed game at all.
    Refused,
    /// Only these.
    Listed(Vec<TimeControl>),
    /// Any control within the limits of [`TimeControl::is_playable`].
    Any,
}

/// Whether a game without clocks is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntimedGames {
    /// Games may be played without clocks.
    Allowed,
    /// Every game has clocks.
    Refused,
}

impl TimeControlPolicy {
    /// Whether a game may be started with this control (`None` = without clocks).
    pub fn allows(&self, control: Option<TimeControl>) -> bool {
        match (control, &self.timed) {
            (None, _) => self.untimed == UntimedGames::Allowed,
            (Some(_), TimedControls::Refused) => false,
            (Some(control), TimedControls::Listed(listed)) => listed.contains(&control),
            (Some(control), TimedControls::Any) => control.is_playable(),
        }
    }
}

/// What starts the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockStart {
    /// Each side's first move is untimed, but the game is aborted when it has not come after `due_ms`.
    FirstMovesFree {
        /// How long a first move may take, in milliseconds of real time.
        due_ms: u32,
    },
    /// The clock of the side to move starts with the game.
    WithGame,
    /// No clock ever runs.
    Never,
}

/// The credit for network delay. What is measured is never credited beyond these limits.
///
/// The three figures of the allowance shrink in proportion for controls quicker than `reference`, by
/// [`TimeControl::estimated_ms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagCredit {
    /// The most that one move is credited.
    pub per_move_ms_max: u32,
    /// A player's allowance when the game starts.
    pub allowance_start_ms: u32,
    /// What the allowance gains with each own move.
    pub allowance_gain_ms: u32,
    /// What the allowance never exceeds.
    pub allowance_ms_max: u32,
    /// The control for which the figures are meant.
    pub reference: TimeControl,
}

/// How repetitions and quiet moves end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawRule {
    /// The third repetition and the hundredth quiet half-move end the game by themselves.
    Automatic,
    /// Those two have to be claimed; the fifth repetition and the 150th quiet half-move end it by themselves.
    ByClaim,
}

/// When neither side has enough left to mate. The names are those of the rules of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialRule {
    /// K v K; K+B v K; K+N v K; kings with any number of bishops all on squares of one colour.
    M1,
    /// K v K; K+B v K; K+N v K; K+B v K+B whatever the colours.
    M2,
}

/// When a player could not have mated, so that the other's fallen flag is a draw. The names are those of the rules of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatingRule {
    /// Cannot mate: a lone king; or king and one minor piece against a bare king.
    F1,
    /// Cannot mate: a lone king; K+N against only K or K and queens; K and bishops of one colour against no knight,
    /// no pawn and no bishop of the other colour.
    F2,
    /// Cannot mate: no series of legal moves by both sides leads to mate (FIDE 6.9).
    F3,
    /// Cannot mate: a lone king; or the material on the board is M1.
    F4,
}

/// What resigning gives the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResignationRule {
    /// The opponent wins, whatever he has left.
    Loses,
    /// The opponent wins, or it is a draw when by this rule he could not have mated.
    DrawWhenOpponentCannotMate(MatingRule),
}

/// How often a draw may be offered. One offer is open at a time in every set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawOfferPolicy {
    /// How many offers one player has in a game; `None` for no limit.
    pub per_player_max: Option<u32>,
    /// How many own moves a player must have made before the first offer.
    pub first_after_own_moves: u32,
    /// How many own moves must lie between two offers of one player.
    pub own_moves_between: u32,
}

/// What happens to a player who goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeavingPolicy {
    /// Being gone this long while on move loses a game with clocks; `None`: only the clock decides.
    pub gone_timed_ms: Option<u32>,
    /// Being gone this long while on move loses a rated game without clocks; `None`: nothing happens.
    pub gone_untimed_rated_ms: Option<u32>,
    /// Whether there is a table to leave.
    pub table: TableLeaving,
    /// When set, leaving is a draw if the opponent could not have mated by the set's flag rule. Off in every set.
    pub leaving_spares_material: bool,
}

/// Whether there is a table to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableLeaving {
    /// Leaving the table loses.
    Loses,
    /// The game is not played at a table: the command is refused.
    NoTable,
}

/// How colours are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourPolicy {
    /// At random, evened out over a player's recent games.
    RandomEvened,
    /// The first game at random, swapped at each rematch.
    DrawnThenSwapped,
    /// The player's choice, or at random.
    PlayersChoice,
}

/// Whether games of a set move ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingPolicy {
    /// Every game is rated.
    Always,
    /// Rated when both seats are taken by people.
    WhenBothArePeople,
    /// Whoever makes the game decides.
    Chosen,
    /// No game is rated.
    Never,
}

impl RatingPolicy {
    /// Whether a game of this standing may be started.
    pub fn allows(self, standing: Standing) -> bool {
        match self {
            RatingPolicy::Always => standing == Standing::Rated,
            RatingPolicy::WhenBothArePeople | RatingPolicy::Chosen => true,
            RatingPolicy::Never => standing == Standing::Casual,
        }
    }
}

/// Whether one game moves ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Rated,
    /// It does not.
    Casual,
}

/// Whether money may ride on games of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StakePolicy {
    /// Every game is staked.
    Staked,
    /// No game is.
    Unstaked,
}
