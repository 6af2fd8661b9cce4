//! What a player does in a game.

use domain_chess::{Color, Command, Event, UciMove};
use uuid::Uuid;

use super::{
    facts::{GameId, PlayerId},
    journal::JournalError,
    refused::Refused,
};

/// What a player may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Play a move.
    PlayMove {
        /// The move.
        uci: UciMove,
        /// How many half-moves the player has seen.
        plies_seen: u32,
    },
    /// Give up.
    Resign,
    /// Offer a draw.
    OfferDraw,
    /// Accept the opponent's offer.
    AcceptDraw,
    /// Decline the opponent's offer.
    DeclineDraw,
    /// Claim a draw for the position on the board.
    ClaimDraw,
    /// Get up from the table.
    LeaveTable,
}

impl Action {
    /// The same as the domain's command. `lag_ms` is the measured round trip of the side to move.
    pub(super) fn command(self, by: Color, now_ms: i64, lag_ms: u32) -> Command {
        match self {
            Action::PlayMove { uci, plies_seen } => {
                Command::PlayMove { by, uci, expected_ply: plies_seen.saturating_add(1), now_ms, lag_ms }
            }
            Action::Resign => Command::Resign { by, now_ms },
            Action::OfferDraw => Command::OfferDraw { by, now_ms },
            Action::AcceptDraw => Command::AcceptDraw { by, now_ms },
            Action::DeclineDraw => Command::DeclineDraw { by, now_ms },
            Action::ClaimDraw => Command::ClaimDraw { by, now_ms },
            Action::LeaveTable => Command::LeaveTable { by, now_ms },
        }
    }

    /// The request in words. Part of what is kept for ever (see [`Act::fingerprint`]): never change it.
    fn words(self) -> String {
        match self {
            Action::PlayMove { uci, plies_seen } => format!("play_move {uci} {plies_seen}"),
            Action::Resign => "resign".to_owned(),
            Action::OfferDraw => "offer_draw".to_owned(),
            Action::AcceptDraw => "accept_draw".to_owned(),
            Action::DeclineDraw => "decline_draw".to_owned(),
            Action::ClaimDraw => "claim_draw".to_owned(),
            Action::LeaveTable => "leave_table".to_owned(),
        }
    }
}

/// What a player does in a game, once.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    /// The game.
    pub game_id: GameId,
    /// Who does it.
    pub player_id: PlayerId,
    /// The id that the player gave it: the same id again is the same request.
    pub request_id: Uuid,
    /// What he does.
    pub action: Action,
    /// When it arrived, on the service's clock. Taken before it waits for anything, so that waiting costs no clock time.
    pub received_at_ms: i64,
}

impl Act {
    /// The id of the first of the events that this request leads to.
    ///
    /// A move says itself what was asked for, so it gets none: most of the log is moves. Any other event may follow from different
    /// requests; it gets the fingerprint of this one.
    pub(super) fn event_id(&self, events: &[Event]) -> Option<Uuid> {
        match events.first() {
            Some(Event::MovePlayed(_)) => None,
            _ => Some(self.fingerprint()),
        }
    }

    /// Whether an event that the log has under this request's id, with the id `event_id`, is the first of what this request led to. If
    /// it is not, the log has it of another request with the same id (GAME-4).
    pub(super) fn led_to(&self, event_id: Option<Uuid>, event: &Event) -> bool {
        match (event, self.action) {
            (Event::MovePlayed(played), Action::PlayMove { uci, plies_seen }) => {
                (played.uci, played.ply) == (uci, plies_seen.saturating_add(1))
            }
            (Event::MovePlayed(_), _) => false,
            _ => event_id == Some(self.fingerprint()),
        }
    }

    /// What the log remembers of a request where the event does not say what was asked for.
    ///
    /// It is derived from all that makes the request what it is: a repeated id with another body has another fingerprint (GAME-4). Game
    /// and player are part of it because a client chooses its request ids freely, and two events with one id would be one to the bus.
    fn fingerprint(&self) -> Uuid {
        let words = format!("{} {} {}", self.player_id, self.request_id, self.action.words());
        Uuid::new_v5(&self.game_id.0, words.as_bytes())
    }
}

/// Why a player's request did not lead to what he asked for.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// Refused; nothing was changed by it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Too many requests are waiting for this game.
    #[error("too many requests are waiting for this game")]
    Overloaded,
    /// The game is being taken up, or this instance is stopping. Asking again with the same request id is safe.
    #[error("the game cannot be reached for the moment")]
    Unreachable,
    /// The log failed. Whether the request took effect is answered by asking again with the same request id.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
