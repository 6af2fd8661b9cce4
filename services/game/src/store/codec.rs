//! Domain events as stored bytes, and back.
//!
//! The stored messages are `stakemate.game.v1` of `event.proto`; their bytes are pinned by tests for every version (GAME-7).
//! What a game is besides chess is stored with its first and last events only, so an event in between is read knowing how
//! the game began.

use std::sync::Arc;

use domain_chess::{
    Clocks, Color, Ended, Event, Game, MovePlayed, Outcome, SanPlus, Standing, StartPosition, Started,
    TimeScale, parse_uci,
};
use event_store::{NewEvent, Publication, RecordedEvent};
use prost::Message;
use proto::game::v1 as pb;
use uuid::Uuid;

use super::{
    actor,
    rule_set::{self, RuleSetFault},
};
use crate::{
    app::{Cause, CityId, Entry, Facts, GameId, MatchId, Record, TableId, Version},
    wire,
};

/// The version of every event's shape. A changed shape gets the next number and an upcaster here.
pub const SCHEMA: i16 = 1;

const STARTED: &str = "GameStarted";
const MOVE_PLAYED: &str = "MovePlayed";
const DRAW_OFFERED: &str = "DrawOffered";
const DRAW_DECLINED: &str = "DrawDeclined";
const PLAYER_GONE: &str = "PlayerGone";
const PLAYER_BACK: &str = "PlayerBack";
const RESUMED: &str = "GameResumed";
const ENDED: &str = "GameEnded";
const ABORTED: &str = "GameAborted";

/// The rating service's name of the pool of the house tables.
pub(super) const TABLE_POOL: &str = "table";

/// The place of GameStarted in every log, and the only public event before the last.
const STARTED_VERSION: Version = 1;

/// Why an event cannot be stored, or what is stored cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Events that are stored in another way than the one asked for.
    #[error("{0} is not stored this way")]
    NotStored(&'static str),
    /// The log does not begin with a start.
    #[error("the log does not begin with {STARTED}")]
    NoStart,
    /// A name or a version that this service does not know.
    #[error("unknown event {kind} of schema {schema}")]
    Unknown {
        /// The name.
        kind: String,
        /// The version of the shape.
        schema: i16,
    },
    /// The bytes are not the message.
    #[error("{kind} cannot be decoded")]
    Bytes {
        /// The name.
        kind: &'static str,
        /// What is wrong with them.
        source: prost::DecodeError,
    },
    /// A field has a value that makes no sense.
    #[error("the field {field} of {kind} makes no sense")]
    Field {
        /// The event's name.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// The rule set cannot be read.
    #[error("the rule set cannot be read")]
    RuleSet(#[from] RuleSetFault),
}

/// What the last event of a game repeats of the ones before.
pub struct Story<'a> {
    /// What the game is besides chess.
    pub facts: &'a Facts,
    /// How it began.
    pub started: &'a Started,
    /// All its moves.
    pub moves: Vec<MovePlayed>,
}

/// An event of a game in play.
pub fn encode(event_id: Option<Uuid>, event: &Event) -> Result<NewEvent, CodecError> {
    let (kind, data) = match event {
        Event::MovePlayed(played) => (MOVE_PLAYED, move_played(played).encode_to_vec()),
        Event::DrawOffered { by, at_ms } => {
            (DRAW_OFFERED, pb::DrawOffered { by: wire::color(*by) as i32, at_ms: *at_ms }.encode_to_vec())
        }
        Event::DrawDeclined { by, at_ms } => {
            (DRAW_DECLINED, pb::DrawDeclined { by: wire::color(*by) as i32, at_ms: *at_ms }.encode_to_vec())
        }
        Event::Resumed { at_ms, stood_still_ms } => {
            let message = pb::GameResumed { resumed_at_ms: *at_ms, stood_still_ms: *stood_still_ms };
            (RESUMED, message.encode_to_vec())
        }
        Event::PlayerGone { by, at_ms } => {
            (PLAYER_GONE, pb::PlayerGone { by: wire::color(*by) as i32, at_ms: *at_ms }.encode_to_vec())
        }
        Event::PlayerBack { by, at_ms } => {
            (PLAYER_BACK, pb::PlayerBack { by: wire::color(*by) as i32, at_ms: *at_ms }.encode_to_vec())
        }
        Event::Started(_) => return Err(CodecError::NotStored("a second start")),
        Event::Ended(_) => return Err(CodecError::NotStored("an end without the game's story")),
    };
    Ok(NewEvent { event_id, kind, schema: SCHEMA, data, publication: Publication::Private })
}

/// The first event of a game.
pub fn encode_started(event_id: Uuid, facts: &Facts, started: &Started) -> NewEvent {
    let message = pb::GameStarted {
        game_id: facts.game_id.to_string(),
        match_id: wire::id_text(facts.match_id),
        city_id: facts.city_id.0.clone(),
        white: Some(wire::player(&facts.white)),
        black: Some(wire::player(&facts.black)),
        time_control: started.time_control.map(wire::time_control),
        stake: facts.stake.as_ref().map(wire::money),
        rule_set: Some(rule_set::encode(&started.rule_set)),
        started_at_ms: started.at_ms,
        time_scale: started.time_scale.get(),
        start_fen: start_fen(started),
        casual: started.standing == Standing::Casual,
        table_id: wire::id_text(facts.table_id),
    };
    NewEvent {
        event_id: Some(event_id),
        kind: STARTED,
        schema: SCHEMA,
        data: message.encode_to_vec(),
        publication: Publication::Public { follows: 0 },
    }
}

/// The last event of a game. It carries all the moves, so that no other service needs the rest of the log.
pub fn encode_ended(event_id: Uuid, story: &Story<'_>, ended: &Ended) -> NewEvent {
    let (kind, data) = match ended.outcome {
        Outcome::Aborted => (ABORTED, aborted(story.facts, ended).encode_to_vec()),
        Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw => {
            (ENDED, game_ended(story, ended).encode_to_vec())
        }
    };
    let publication = Publication::Public { follows: STARTED_VERSION };
    NewEvent { event_id: Some(event_id), kind, schema: SCHEMA, data, publication }
}

/// The log of a game from its stored events.
pub fn decode(recorded: &[RecordedEvent]) -> Result<Record, CodecError> {
    let first = recorded.first().filter(|first| first.kind == STARTED).ok_or(CodecError::NoStart)?;
    let (facts, started) = decode_started(first)?;
    let facts = Arc::new(facts);
    let mut entries = Vec::with_capacity(recorded.len());
    entries.push(entry(&facts, first, Event::Started(Box::new(started.clone()))));
    for recorded in &recorded[1..] {
        entries.push(entry(&facts, recorded, decode_event(recorded, &started)?));
    }
    Record::new(facts, entries).ok_or(CodecError::NoStart)
}

fn entry(facts: &Facts, recorded: &RecordedEvent, event: Event) -> Entry {
    let cause = match actor::read(facts, &recorded.metadata.actor) {
        Some(by) => Cause::Request { by, request_id: recorded.metadata.causation_id },
        None => Cause::Service,
    };
    Entry { version: recorded.version, event_id: recorded.event_id, cause, event }
}

/// The bytes of a start.
pub(super) fn read_started(data: &[u8]) -> Result<pb::GameStarted, CodecError> {
    pb::GameStarted::decode(data).map_err(|source| CodecError::Bytes { kind: STARTED, source })
}

fn decode_started(recorded: &RecordedEvent) -> Result<(Facts, Started), CodecError> {
    check_schema(recorded)?;
    domain_started(&read_started(&recorded.data)?)
}

/// A start in the domain's words.
pub(super) fn domain_started(message: &pb::GameStarted) -> Result<(Facts, Started), CodecError> {
    let wrong = |field| CodecError::Field { kind: STARTED, field };
    let facts = Facts {
        game_id: GameId(Uuid::parse_str(&message.game_id).map_err(|_| wrong("game_id"))?),
        match_id: wire::read_id(&message.match_id).map_err(|()| wrong("match_id"))?.map(MatchId),
        table_id: wire::read_id(&message.table_id).map_err(|()| wrong("table_id"))?.map(TableId),
        city_id: CityId(message.city_id.clone()),
        white: wire::read_player(message.white.as_ref()).ok_or_else(|| wrong("white"))?,
        black: wire::read_player(message.black.as_ref()).ok_or_else(|| wrong("black"))?,
        stake: match &message.stake {
            Some(_) => Some(wire::read_stake(message.stake.as_ref()).ok_or_else(|| wrong("stake"))?),
            None => None,
        },
    };
    let time_control = match &message.time_control {
        Some(control) => Some(wire::read_time_control(control).ok_or_else(|| wrong("time_control"))?),
        None => None,
    };
    let start_position = match message.start_fen.as_str() {
        "" => StartPosition::default(),
        fen => StartPosition::from_fen(fen).map_err(|_| wrong("start_fen"))?,
    };
    let rules = message.rule_set.as_ref().ok_or_else(|| wrong("rule_set"))?;
    let started = Started {
        rule_set: Arc::new(rule_set::decode(rules)?),
        time_control,
        start_position,
        standing: if message.casual { Standing::Casual } else { Standing::Rated },
        time_scale: TimeScale::new(message.time_scale).ok_or_else(|| wrong("time_scale"))?,
        at_ms: message.started_at_ms,
    };
    Ok((facts, started))
}

fn decode_event(recorded: &RecordedEvent, started: &Started) -> Result<Event, CodecError> {
    check_schema(recorded)?;
    match recorded.kind.as_str() {
        MOVE_PLAYED => decode_move(recorded, started),
        DRAW_OFFERED => {
            let message: pb::DrawOffered = read(DRAW_OFFERED, recorded)?;
            let by =
                wire::read_color(message.by).ok_or(CodecError::Field { kind: DRAW_OFFERED, field: "by" })?;
            Ok(Event::DrawOffered { by, at_ms: message.at_ms })
        }
        DRAW_DECLINED => {
            let message: pb::DrawDeclined = read(DRAW_DECLINED, recorded)?;
            let by =
                wire::read_color(message.by).ok_or(CodecError::Field { kind: DRAW_DECLINED, field: "by" })?;
            Ok(Event::DrawDeclined { by, at_ms: message.at_ms })
        }
        PLAYER_GONE => {
            let message: pb::PlayerGone = read(PLAYER_GONE, recorded)?;
            let by =
                wire::read_color(message.by).ok_or(CodecError::Field { kind: PLAYER_GONE, field: "by" })?;
            Ok(Event::PlayerGone { by, at_ms: message.at_ms })
        }
        PLAYER_BACK => {
            let message: pb::PlayerBack = read(PLAYER_BACK, recorded)?;
            let by =
                wire::read_color(message.by).ok_or(CodecError::Field { kind: PLAYER_BACK, field: "by" })?;
            Ok(Event::PlayerBack { by, at_ms: message.at_ms })
        }
        RESUMED => {
            let message: pb::GameResumed = read(RESUMED, recorded)?;
            Ok(Event::Resumed { at_ms: message.resumed_at_ms, stood_still_ms: message.stood_still_ms })
        }
        ENDED => decode_ended(recorded, started),
        ABORTED => decode_aborted(recorded, started),
        _ => Err(unknown(recorded)),
    }
}

fn decode_move(recorded: &RecordedEvent, started: &Started) -> Result<Event, CodecError> {
    let message: pb::MovePlayed = read(MOVE_PLAYED, recorded)?;
    let wrong = |field| CodecError::Field { kind: MOVE_PLAYED, field };
    Ok(Event::MovePlayed(MovePlayed {
        ply: message.ply,
        uci: parse_uci(&message.uci).map_err(|_| wrong("uci"))?,
        san: SanPlus::from_ascii(message.san.as_bytes()).map_err(|_| wrong("san"))?,
        received_at_ms: message.received_at_ms,
        elapsed_ms: message.elapsed_ms,
        charged_ms: message.charged_ms,
        lag_credit_ms: message.lag_credit_ms,
        clocks: read_clocks(started, message.white_clock_ms, message.black_clock_ms),
    }))
}

fn decode_ended(recorded: &RecordedEvent, started: &Started) -> Result<Event, CodecError> {
    let message: pb::GameEnded = read(ENDED, recorded)?;
    let wrong = |field| CodecError::Field { kind: ENDED, field };
    Ok(Event::Ended(Ended {
        outcome: wire::read_result(message.result).ok_or_else(|| wrong("result"))?,
        reason: wire::read_end_reason(message.end_reason).ok_or_else(|| wrong("end_reason"))?,
        at_ms: message.ended_at_ms,
        clocks: read_clocks(started, message.white_clock_ms, message.black_clock_ms),
    }))
}

fn decode_aborted(recorded: &RecordedEvent, started: &Started) -> Result<Event, CodecError> {
    let message: pb::GameAborted = read(ABORTED, recorded)?;
    let reason = wire::read_end_reason(message.end_reason);
    Ok(Event::Ended(Ended {
        outcome: Outcome::Aborted,
        reason: reason.ok_or(CodecError::Field { kind: ABORTED, field: "end_reason" })?,
        at_ms: message.aborted_at_ms,
        clocks: read_clocks(started, message.white_clock_ms, message.black_clock_ms),
    }))
}

fn move_played(played: &MovePlayed) -> pb::MovePlayed {
    let (white_clock_ms, black_clock_ms) = clocks(played.clocks);
    pb::MovePlayed {
        ply: played.ply,
        uci: played.uci.to_string(),
        san: played.san.to_string(),
        received_at_ms: played.received_at_ms,
        elapsed_ms: played.elapsed_ms,
        charged_ms: played.charged_ms,
        lag_credit_ms: played.lag_credit_ms,
        white_clock_ms,
        black_clock_ms,
    }
}

fn game_ended(story: &Story<'_>, ended: &Ended) -> pb::GameEnded {
    let Story { facts, started, moves } = story;
    let (white_clock_ms, black_clock_ms) = clocks(ended.clocks);
    let mut mover = first_mover(started);
    let mut recorded = Vec::with_capacity(moves.len());
    for played in moves {
        recorded.push(pb::RecordedMove {
            uci: played.uci.to_string(),
            charged_ms: played.charged_ms,
            clock_ms: played.clocks.map_or(0, |clocks| clocks[mover]),
        });
        mover = mover.other();
    }
    pb::GameEnded {
        game_id: facts.game_id.to_string(),
        match_id: wire::id_text(facts.match_id),
        city_id: facts.city_id.0.clone(),
        white: Some(wire::player(&facts.white)),
        black: Some(wire::player(&facts.black)),
        time_control: started.time_control.map(wire::time_control),
        result: wire::result(ended.outcome) as i32,
        end_reason: wire::end_reason(ended.reason) as i32,
        started_at_ms: started.at_ms,
        ended_at_ms: ended.at_ms,
        moves: recorded,
        white_clock_ms,
        black_clock_ms,
        start_fen: start_fen(started),
        rating_pool: rating_pool(facts, started).to_owned(),
        table_id: wire::id_text(facts.table_id),
    }
}

/// A game of a match counts in the pool of its clock, as the others know.
fn rating_pool(facts: &Facts, started: &Started) -> &'static str {
    match (facts.match_id, started.standing) {
        (None, Standing::Rated) => TABLE_POOL,
        (Some(_), _) | (None, Standing::Casual) => "",
    }
}

fn first_mover(started: &Started) -> Color {
    let beginning = Event::Started(Box::new(started.clone()));
    Game::replay([&beginning]).expect("a start is the whole of a game that begins").side_to_move()
}

fn aborted(facts: &Facts, ended: &Ended) -> pb::GameAborted {
    let (white_clock_ms, black_clock_ms) = clocks(ended.clocks);
    pb::GameAborted {
        game_id: facts.game_id.to_string(),
        match_id: wire::id_text(facts.match_id),
        white: Some(wire::player(&facts.white)),
        black: Some(wire::player(&facts.black)),
        end_reason: wire::end_reason(ended.reason) as i32,
        aborted_at_ms: ended.at_ms,
        white_clock_ms,
        black_clock_ms,
    }
}

fn start_fen(started: &Started) -> String {
    if started.start_position.is_standard() { String::new() } else { started.start_position.fen() }
}

/// Both clocks as two numbers; zeros in a game without clocks.
fn clocks(clocks: Option<Clocks>) -> (i64, i64) {
    clocks.map_or((0, 0), |clocks| (clocks.white_ms, clocks.black_ms))
}

fn read_clocks(started: &Started, white_ms: i64, black_ms: i64) -> Option<Clocks> {
    started.time_control.map(|_| Clocks { white_ms, black_ms })
}

fn read<M: Message + Default>(kind: &'static str, recorded: &RecordedEvent) -> Result<M, CodecError> {
    M::decode(recorded.data.as_slice()).map_err(|source| CodecError::Bytes { kind, source })
}

fn check_schema(recorded: &RecordedEvent) -> Result<(), CodecError> {
    if recorded.schema == SCHEMA { Ok(()) } else { Err(unknown(recorded)) }
}

fn unknown(recorded: &RecordedEvent) -> CodecError {
    CodecError::Unknown { kind: recorded.kind.clone(), schema: recorded.schema }
}
