//! Events of tables as stored bytes, and back. The bytes are pinned by tests for every version (GAME-7).

use domain_chess::Standing;
use event_store::{NewEvent, Publication, RecordedEvent};
use prost::Message;
use proto::game::v1 as pb;
use uuid::Uuid;

use super::{
    codec::{CodecError, SCHEMA},
    rule_set,
};
use crate::{
    app::{GameId, Nature, PlayerId, Sitter, TableEntry, TableEvent, TableId, Terms, Visibility},
    wire,
};

const OPENED: &str = "TableOpened";
const SEAT_TAKEN: &str = "TableSeatTaken";
const SEAT_LEFT: &str = "TableSeatLeft";
const GAME_BEGUN: &str = "TableGameBegun";
const REMATCH_OFFERED: &str = "TableRematchOffered";
const REMATCH_DECLINED: &str = "TableRematchDeclined";
const CLOSED: &str = "TableClosed";

/// An event of a table.
pub fn encode(event_id: Uuid, event: &TableEvent) -> NewEvent {
    let (kind, data) = match event {
        TableEvent::Opened { table_id, host, terms, at_ms } => {
            (OPENED, opened(*table_id, host, terms, *at_ms).encode_to_vec())
        }
        TableEvent::SeatTaken { sitter, at_ms } => {
            (SEAT_TAKEN, pb::TableSeatTaken { seat: Some(seat(sitter)), at_ms: *at_ms }.encode_to_vec())
        }
        TableEvent::SeatLeft { player_id, at_ms } => {
            let message = pb::TableSeatLeft { player_id: player_id.to_string(), at_ms: *at_ms };
            (SEAT_LEFT, message.encode_to_vec())
        }
        TableEvent::GameBegun { game_id, white, black, at_ms } => {
            let message = pb::TableGameBegun {
                game_id: game_id.to_string(),
                white: Some(wire::player(white)),
                black: Some(wire::player(black)),
                at_ms: *at_ms,
            };
            (GAME_BEGUN, message.encode_to_vec())
        }
        TableEvent::RematchOffered { player_id, at_ms } => {
            let message = pb::TableRematchOffered { player_id: player_id.to_string(), at_ms: *at_ms };
            (REMATCH_OFFERED, message.encode_to_vec())
        }
        TableEvent::RematchDeclined { player_id, at_ms } => {
            let message = pb::TableRematchDeclined { player_id: player_id.to_string(), at_ms: *at_ms };
            (REMATCH_DECLINED, message.encode_to_vec())
        }
        TableEvent::Closed { at_ms } => (CLOSED, pb::TableClosed { at_ms: *at_ms }.encode_to_vec()),
    };
    NewEvent { event_id: Some(event_id), kind, schema: SCHEMA, data, publication: Publication::Private }
}

/// An entry of a table's log from its stored event.
pub fn decode(recorded: &RecordedEvent) -> Result<TableEntry, CodecError> {
    Ok(TableEntry {
        version: recorded.version,
        event_id: recorded.id(),
        by: Uuid::parse_str(&recorded.metadata.actor).ok().map(PlayerId),
        request_id: recorded.metadata.causation_id,
        event: decode_event(recorded)?,
    })
}

/// A taken seat.
pub fn seat(sitter: &Sitter) -> pb::TableSeat {
    pb::TableSeat { player: Some(wire::player(&sitter.seat)), computer: sitter.nature == Nature::Computer }
}

/// Who finds a table.
pub fn visibility(visibility: Visibility) -> pb::TableVisibility {
    match visibility {
        Visibility::Public => pb::TableVisibility::Public,
        Visibility::ByLink => pb::TableVisibility::ByLink,
    }
}

fn opened(table_id: TableId, host: &Sitter, terms: &Terms, at_ms: i64) -> pb::TableOpened {
    pb::TableOpened {
        table_id: table_id.to_string(),
        host: Some(seat(host)),
        rule_set: Some(rule_set::encode(&terms.rule_set)),
        time_control: terms.time_control.map(wire::time_control),
        visibility: visibility(terms.visibility) as i32,
        rated: terms.wanted == Standing::Rated,
        host_color: terms.host_color.map_or(0, |color| wire::color(color) as i32),
        at_ms,
    }
}

fn decode_event(recorded: &RecordedEvent) -> Result<TableEvent, CodecError> {
    let unknown = || CodecError::Unknown { kind: recorded.kind.clone(), schema: recorded.schema };
    if recorded.schema != SCHEMA {
        return Err(unknown());
    }
    Ok(match recorded.kind.as_str() {
        OPENED => read_opened(&read(OPENED, recorded)?)?,
        SEAT_TAKEN => {
            let message: pb::TableSeatTaken = read(SEAT_TAKEN, recorded)?;
            let sitter = read_seat(message.seat.as_ref()).ok_or(wrong(SEAT_TAKEN, "seat"))?;
            TableEvent::SeatTaken { sitter, at_ms: message.at_ms }
        }
        SEAT_LEFT => {
            let message: pb::TableSeatLeft = read(SEAT_LEFT, recorded)?;
            let player_id = player_id(SEAT_LEFT, &message.player_id)?;
            TableEvent::SeatLeft { player_id, at_ms: message.at_ms }
        }
        GAME_BEGUN => {
            let message: pb::TableGameBegun = read(GAME_BEGUN, recorded)?;
            TableEvent::GameBegun {
                game_id: GameId(id(GAME_BEGUN, "game_id", &message.game_id)?),
                white: wire::read_player(message.white.as_ref()).ok_or(wrong(GAME_BEGUN, "white"))?,
                black: wire::read_player(message.black.as_ref()).ok_or(wrong(GAME_BEGUN, "black"))?,
                at_ms: message.at_ms,
            }
        }
        REMATCH_OFFERED => {
            let message: pb::TableRematchOffered = read(REMATCH_OFFERED, recorded)?;
            let player_id = player_id(REMATCH_OFFERED, &message.player_id)?;
            TableEvent::RematchOffered { player_id, at_ms: message.at_ms }
        }
        REMATCH_DECLINED => {
            let message: pb::TableRematchDeclined = read(REMATCH_DECLINED, recorded)?;
            let player_id = player_id(REMATCH_DECLINED, &message.player_id)?;
            TableEvent::RematchDeclined { player_id, at_ms: message.at_ms }
        }
        CLOSED => TableEvent::Closed { at_ms: read::<pb::TableClosed>(CLOSED, recorded)?.at_ms },
        _ => return Err(unknown()),
    })
}

fn read_opened(message: &pb::TableOpened) -> Result<TableEvent, CodecError> {
    let time_control = match &message.time_control {
        Some(control) => Some(wire::read_time_control(control).ok_or(wrong(OPENED, "time_control"))?),
        None => None,
    };
    let visibility = match message.visibility() {
        pb::TableVisibility::Public => Visibility::Public,
        pb::TableVisibility::ByLink => Visibility::ByLink,
        pb::TableVisibility::Unspecified => return Err(wrong(OPENED, "visibility")),
    };
    let rules = message.rule_set.as_ref().ok_or(wrong(OPENED, "rule_set"))?;
    let terms = Terms {
        rule_set: rule_set::decode(rules)?,
        time_control,
        visibility,
        wanted: if message.rated { Standing::Rated } else { Standing::Casual },
        host_color: wire::read_color(message.host_color),
    };
    Ok(TableEvent::Opened {
        table_id: TableId(id(OPENED, "table_id", &message.table_id)?),
        host: read_seat(message.host.as_ref()).ok_or(wrong(OPENED, "host"))?,
        terms: Box::new(terms),
        at_ms: message.at_ms,
    })
}

fn read_seat(wire: Option<&pb::TableSeat>) -> Option<Sitter> {
    let wire = wire?;
    let nature = if wire.computer { Nature::Computer } else { Nature::Person };
    Some(Sitter { seat: wire::read_player(wire.player.as_ref())?, nature })
}

fn player_id(kind: &'static str, text: &str) -> Result<PlayerId, CodecError> {
    id(kind, "player_id", text).map(PlayerId)
}

fn id(kind: &'static str, field: &'static str, text: &str) -> Result<Uuid, CodecError> {
    Uuid::parse_str(text).map_err(|_| wrong(kind, field))
}

fn wrong(kind: &'static str, field: &'static str) -> CodecError {
    CodecError::Field { kind, field }
}

fn read<M: Message + Default>(kind: &'static str, recorded: &RecordedEvent) -> Result<M, CodecError> {
    M::decode(recorded.data.as_slice()).map_err(|source| CodecError::Bytes { kind, source })
}
