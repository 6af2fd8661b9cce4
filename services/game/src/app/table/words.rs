//! The words of a table: who sits, what its games are like, what happened, what can be asked, and why it is refused.

use domain_chess::{Color, ColourPolicy, RatingPolicy, RuleSet, StakePolicy, Standing, TimeControl};

use super::super::facts::{GameId, PlayerId, Seat, TableId};

/// Who finds a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Everybody.
    Public,
    /// Whoever was given its id.
    ByLink,
}

/// What sits on a chair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A person.
    Person,
    /// A computer player.
    Computer,
}

/// Somebody who sits, or sits down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitter {
    /// Who.
    pub seat: Seat,
    /// Person or computer.
    pub nature: Nature,
}

/// What the games of a table are like. Settled when it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The rules.
    pub rule_set: RuleSet,
    /// The clock, or none.
    pub time_control: Option<TimeControl>,
    /// Who finds it.
    pub visibility: Visibility,
    /// What the host wants where the rule set leaves it to him.
    pub wanted: Standing,
    /// The host's colour in the first game, where the rule set lets him choose.
    pub host_color: Option<Color>,
}

/// What happened at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEvent {
    /// It was opened. Always the first event.
    Opened {
        /// The table.
        table_id: TableId,
        /// Who opened it and took the first seat.
        host: Sitter,
        /// What its games are like.
        terms: Box<Terms>,
        /// When, on the service's clock.
        at_ms: i64,
    },
    /// Somebody sat down.
    SeatTaken {
        /// Who.
        sitter: Sitter,
        /// When.
        at_ms: i64,
    },
    /// Somebody got up.
    SeatLeft {
        /// Who.
        player_id: PlayerId,
        /// When.
        at_ms: i64,
    },
    /// A game began.
    GameBegun {
        /// The game.
        game_id: GameId,
        /// White.
        white: Seat,
        /// Black.
        black: Seat,
        /// When.
        at_ms: i64,
    },
    /// Another game was offered.
    RematchOffered {
        /// By whom.
        player_id: PlayerId,
        /// When.
        at_ms: i64,
    },
    /// The open offer was declined.
    RematchDeclined {
        /// By whom.
        player_id: PlayerId,
        /// When.
        at_ms: i64,
    },
    /// The table was closed. Always the last event.
    Closed {
        /// When.
        at_ms: i64,
    },
}

/// What can be asked of a table that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCommand {
    /// Sit down.
    TakeSeat(Sitter),
    /// Get up.
    Leave(PlayerId),
    /// Offer another game.
    OfferRematch(PlayerId),
    /// Accept the opponent's offer.
    AcceptRematch(PlayerId),
    /// Decline it.
    DeclineRematch(PlayerId),
    /// Nothing has happened here for long.
    Expire,
}

/// What a decision needs and a table does not know.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The service's time.
    pub now_ms: i64,
    /// Whether the table's last game is still running.
    pub game: Running,
    /// The id of the game that begins, if one does.
    pub next_game_id: GameId,
    /// The colour of who sat down first, where colours are drawn.
    pub drawn: Color,
}

/// Whether a game is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// It is.
    Yes,
    /// It has ended, or there was none.
    No,
}

/// Why a table refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableRefusal {
    /// It is closed.
    #[error("the table is closed")]
    Closed,
    /// Both seats are taken.
    #[error("both seats are taken")]
    Full,
    /// He sits there already.
    #[error("the player sits at this table already")]
    AlreadySeated,
    /// He does not sit there.
    #[error("the player does not sit at this table")]
    NotSeated,
    /// A game is running.
    #[error("a game is running at this table")]
    GameRunning {
        /// The game.
        game_id: GameId,
    },
    /// There is nobody, or no game yet, to have another with or after.
    #[error("there is nobody, or no game yet, to have another game with or after")]
    NoRematch,
    /// No offer of the opponent's is open.
    #[error("no offer of another game is open")]
    NoRematchOffer,
    /// His own offer is still open.
    #[error("the offer of another game is still open")]
    RematchOfferOpen,
}

impl Terms {
    /// Whether a table can be played like this: nothing is staked at a table, and the rule set must have the clock.
    pub fn are_allowed(&self) -> bool {
        self.rule_set.stakes == StakePolicy::Unstaked
            && self.rule_set.time_controls.allows(self.time_control)
            && (self.wanted == Standing::Casual || self.rule_set.rating == RatingPolicy::Chosen)
            && (self.host_color.is_none() || self.rule_set.colours == ColourPolicy::PlayersChoice)
    }
}
