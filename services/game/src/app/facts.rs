//! What a game is besides chess: who plays it, where, and for how much.

use std::fmt;

use domain_chess::Color;
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A game, and its stream in the log.
    GameId
);
id!(
    /// The match that a game belongs to.
    MatchId
);
id!(
    /// A table, and its stream in the log.
    TableId
);
id!(
    /// A player.
    PlayerId
);

/// The name of a city, as matchmaking knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CityId(pub String);

/// A player at the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Who sits there.
    pub player_id: PlayerId,
    /// His name when the game began.
    pub name: String,
}

/// What each player staked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stake {
    /// In the currency's minor units; never negative.
    pub minor_units: i64,
    /// ISO 4217.
    pub currency: String,
}

/// What a game is besides chess. Settled when it begins and never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The game.
    pub game_id: GameId,
    /// Its match; `None` at a table.
    pub match_id: Option<MatchId>,
    /// Its table; `None` for a game of a match.
    pub table_id: Option<TableId>,
    /// Where it is played; without a name at a table.
    pub city_id: CityId,
    /// White.
    pub white: Seat,
    /// Black.
    pub black: Seat,
    /// What each player staked; `None` at a table, where nobody stakes anything.
    pub stake: Option<Stake>,
}

impl Facts {
    /// The side that a player has, if he plays in this game.
    pub fn color_of(&self, player_id: PlayerId) -> Option<Color> {
        if self.white.player_id == player_id {
            Some(Color::White)
        } else if self.black.player_id == player_id {
            Some(Color::Black)
        } else {
            None
        }
    }

    /// Who sits on a side.
    pub fn seat(&self, color: Color) -> &Seat {
        color.fold_wb(&self.white, &self.black)
    }
}
