//! The words that the domain and the wire share: sides, results, reasons, players, amounts, clocks.
//!
//! Stored events and gRPC messages are made of the same protobuf types, so both the log's codec and the edge use these.

use domain_chess::{Color, EndReason, Outcome, TimeControl};
use proto::{
    game::v1 as pb,
    types::v1::{Color as WireColor, Money, Player, TimeControl as WireTimeControl},
};
use uuid::Uuid;

use crate::app::{PlayerId, Seat, Stake};

/// A side.
pub fn color(color: Color) -> WireColor {
    color.fold_wb(WireColor::White, WireColor::Black)
}

/// A side, if it is said.
pub fn read_color(wire: i32) -> Option<Color> {
    match WireColor::try_from(wire).ok()? {
        WireColor::White => Some(Color::White),
        WireColor::Black => Some(Color::Black),
        WireColor::Unspecified => None,
    }
}

/// The result of an ended game; an aborted one has none.
pub fn result(outcome: Outcome) -> pb::GameResult {
    match outcome {
        Outcome::WhiteWins => pb::GameResult::WhiteWins,
        Outcome::BlackWins => pb::GameResult::BlackWins,
        Outcome::Draw => pb::GameResult::Draw,
        Outcome::Aborted => pb::GameResult::Unspecified,
    }
}

/// The outcome of a game with a result.
pub fn read_result(wire: i32) -> Option<Outcome> {
    match pb::GameResult::try_from(wire).ok()? {
        pb::GameResult::WhiteWins => Some(Outcome::WhiteWins),
        pb::GameResult::BlackWins => Some(Outcome::BlackWins),
        pb::GameResult::Draw => Some(Outcome::Draw),
        pb::GameResult::Unspecified => None,
    }
}

/// How a game stands once it has ended so.
pub fn status(outcome: Outcome) -> pb::GameStatus {
    match outcome {
        Outcome::Aborted => pb::GameStatus::Aborted,
        Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw => pb::GameStatus::Ended,
    }
}

/// Why a game ended.
pub fn end_reason(reason: EndReason) -> pb::EndReason {
    match reason {
        EndReason::Checkmate => pb::EndReason::Checkmate,
        EndReason::Resignation => pb::EndReason::Resignation,
        EndReason::Time => pb::EndReason::Time,
        EndReason::Abandonment => pb::EndReason::Abandonment,
        EndReason::LeftTable => pb::EndReason::LeftTable,
        EndReason::Stalemate => pb::EndReason::Stalemate,
        EndReason::InsufficientMaterial => pb::EndReason::InsufficientMaterial,
        EndReason::Threefold => pb::EndReason::Threefold,
        EndReason::Fivefold => pb::EndReason::Fivefold,
        EndReason::FiftyMoves => pb::EndReason::FiftyMoves,
        EndReason::SeventyFiveMoves => pb::EndReason::SeventyFiveMoves,
        EndReason::ClaimThreefold => pb::EndReason::ClaimThreefold,
        EndReason::ClaimFiftyMoves => pb::EndReason::ClaimFiftyMoves,
        EndReason::Agreement => pb::EndReason::Agreement,
        EndReason::TimeVsInsufficientMaterial => pb::EndReason::TimeVsInsufficientMaterial,
        EndReason::ResignationVsInsufficientMaterial => pb::EndReason::ResignationVsInsufficientMaterial,
        EndReason::AbortedNoFirstMove => pb::EndReason::AbortedNoFirstMove,
        EndReason::AbortedServer => pb::EndReason::AbortedServer,
    }
}

/// Why a game ended, if it is said.
pub fn read_end_reason(wire: i32) -> Option<EndReason> {
    EndReason::ALL.into_iter().find(|reason| end_reason(*reason) as i32 == wire)
}

/// A player.
pub fn player(seat: &Seat) -> Player {
    Player { player_id: seat.player_id.to_string(), name: seat.name.clone() }
}

/// A player, if his id is one.
pub fn read_player(wire: Option<&Player>) -> Option<Seat> {
    let wire = wire?;
    Some(Seat { player_id: PlayerId(Uuid::parse_str(&wire.player_id).ok()?), name: wire.name.clone() })
}

/// A stake.
pub fn money(stake: &Stake) -> Money {
    Money { minor_units: stake.minor_units, currency: stake.currency.clone() }
}

/// A stake, if it is an amount of a currency.
pub fn read_stake(wire: Option<&Money>) -> Option<Stake> {
    let wire = wire?;
    let is_currency = wire.currency.len() == 3 && wire.currency.bytes().all(|byte| byte.is_ascii_uppercase());
    (wire.minor_units >= 0 && is_currency)
        .then(|| Stake { minor_units: wire.minor_units, currency: wire.currency.clone() })
}

/// A clock.
pub fn time_control(control: TimeControl) -> WireTimeControl {
    WireTimeControl { base_ms: control.base_ms.into(), increment_ms: control.increment_ms.into() }
}

/// A clock, if its figures are possible.
pub fn read_time_control(wire: &WireTimeControl) -> Option<TimeControl> {
    Some(TimeControl::new(wire.base_ms.try_into().ok()?, wire.increment_ms.try_into().ok()?))
}

/// An id that there may be, as text; empty when there is none.
pub(crate) fn id_text(id: Option<impl std::fmt::Display>) -> String {
    id.map_or_else(String::new, |id| id.to_string())
}

/// Reads what [`id_text`] wrote.
pub(crate) fn read_id(text: &str) -> Result<Option<uuid::Uuid>, ()> {
    if text.is_empty() { Ok(None) } else { uuid::Uuid::parse_str(text).map(Some).map_err(|_| ()) }
}
