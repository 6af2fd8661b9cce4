//! Frames of a ticket, and cities, as they go on the wire.

use std::collections::HashMap;

use proto::matchmaking::v1 as wire;
use proto::matchmaking::v1::join_queue_response::Frame as WireFrame;
use proto::types::v1::{Color, Money, Player};

use crate::app::cities::{City, TimeControl};
use crate::app::tickets::{Frame, Opponent, Side};

/// A frame, without its number and time.
pub fn frame(frame: Frame) -> WireFrame {
    match frame {
        Frame::Searching { ticket_id, window, waited_ms, rating } => WireFrame::Searching(wire::Searching {
            ticket_id: ticket_id.to_string(),
            window,
            waited_ms,
            rating,
        }),
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

/// A city with its live counts.
pub fn city(city: &City, waiting: &HashMap<String, u32>, playing: &HashMap<String, u32>) -> wire::City {
    wire::City {
        city_id: city.id.to_owned(),
        name: city.name.to_owned(),
        stake: Some(Money { minor_units: city.stake_minor_units, currency: city.currency.to_owned() }),
        fee_basis_points: city.fee_basis_points,
        time_controls: city.time_controls.iter().map(|clock| time_control(*clock)).collect(),
        waiting: waiting.get(city.id).copied().unwrap_or(0),
        playing: playing.get(city.id).copied().unwrap_or(0),
        time_scale: city.time_scale,
    }
}

fn time_control(clock: TimeControl) -> proto::types::v1::TimeControl {
    proto::types::v1::TimeControl { base_ms: clock.base_ms, increment_ms: clock.increment_ms }
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
