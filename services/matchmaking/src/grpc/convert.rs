//! Frames of a ticket, and cities, as they go on the wire.

use std::collections::HashMap;

use proto::matchmaking::v1 as wire;
use proto::matchmaking::v1::join_queue_response::Frame as WireFrame;
use proto::types::v1::{Color, Player};

use crate::app::cities::City;
use crate::app::tickets::{Frame, Opponent, Side};
use crate::store::city_log::settings_to_wire;

/// A frame, without its number and time.
pub fn frame(frame: Frame) -> WireFrame {
    match frame {
        Frame::Searching { ticket_id, window, waited_ms, rating, estimated_wait_ms } => {
            WireFrame::Searching(wire::Searching {
                ticket_id: ticket_id.to_string(),
                window,
                waited_ms,
                rating,
                estimated_wait_ms,
            })
        }
        Frame::NoOpponent { ticket_id, waited_ms, window } => {
            WireFrame::NoOpponent(wire::NoOpponent { ticket_id: ticket_id.to_string(), waited_ms, window })
        }
        Frame::SecuringStakes { match_id, opponent } => WireFrame::SecuringStakes(wire::SecuringStakes {
            match_id: match_id.to_string(),
            opponent_rating: opponent.rating,
            opponent: Some(player(opponent)),
        }),
        Frame::Matched { match_id, game_id, side, opponent } => WireFrame::Matched(wire::Matched {
            match_id: match_id.to_string(),
            game_id: game_id.to_string(),
            color: color(side).into(),
            opponent: Some(player(opponent)),
        }),
        Frame::MatchFailed { match_id, reason, opponent } => WireFrame::MatchFailed(wire::MatchFailed {
            match_id: match_id.to_string(),
            reason: reason.into(),
            opponent: Some(player(opponent)),
        }),
        Frame::TicketClosed { reason } => {
            WireFrame::TicketClosed(wire::TicketClosed { reason: reason.into() })
        }
    }
}

/// Whether the stream ends with this frame.
pub fn is_last(frame: &Frame) -> bool {
    matches!(frame, Frame::Matched { .. } | Frame::TicketClosed { .. })
}

/// How many wait and play in each city.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Tickets searching.
    pub waiting: HashMap<String, u32>,
    /// Games running.
    pub playing: HashMap<String, u32>,
}

/// A city with its live counts.
pub fn city(city: &City, counts: &Counts, now_ms: i64) -> wire::City {
    let settings = settings_to_wire(&city.settings);
    wire::City {
        city_id: city.id.clone(),
        name: settings.name,
        stake: settings.stake,
        fee_basis_points: settings.fee_basis_points,
        time_controls: settings.time_controls,
        waiting: counts.waiting.get(&city.id).copied().unwrap_or(0),
        playing: counts.playing.get(&city.id).copied().unwrap_or(0),
        time_scale: city.time_scale,
        etag: city.version.to_string(),
        enabled: settings.enabled,
        open_hours: settings.open_hours,
        open: city.is_open(now_ms),
    }
}

fn player(opponent: Opponent) -> Player {
    Player { player_id: opponent.player_id.to_string(), name: opponent.name }
}

fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}
