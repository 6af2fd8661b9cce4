//! The events of other services.

use event_bus::Message;
use event_store::{Append, Metadata, NewEvent, Publication, StreamId, Version};
use proto::game::v1::{EndReason, GameAborted, GameEnded, GameResult, RecordedMove};
use proto::matchmaking::v1::{CancelReason, MatchCancelled, MatchProposed};
use proto::types::v1::{Money, Player, TimeControl};
use time::OffsetDateTime;
use uuid::Uuid;

/// Paris 1858: 33 plies, mate.
pub const OPERA: &str = "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 \
    c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8";
/// The shortest mate.
pub const FOOLS_MATE: &str = "f2f3 e7e5 g2g4 d8h4";
/// The mate that beginners fall for.
pub const SCHOLARS_MATE: &str = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7";
/// Somewhen, in milliseconds since the Unix epoch: a minute before midnight UTC.
pub const BEFORE_MIDNIGHT_MS: i64 = 1_767_225_540_000;
/// Two minutes later.
pub const AFTER_MIDNIGHT_MS: i64 = BEFORE_MIDNIGHT_MS + 120_000;

/// A public event, as it is appended by its service and as it comes off the bus.
#[derive(Debug, Clone)]
pub struct Event {
    pub service: &'static str,
    pub stream: StreamId,
    pub version: Version,
    pub kind: &'static str,
    pub event_id: Uuid,
    pub data: Vec<u8>,
}

impl Event {
    pub fn new(
        service: &'static str,
        stream: StreamId,
        version: Version,
        kind: &'static str,
        message: &impl prost::Message,
    ) -> Self {
        Self { service, stream, version, kind, event_id: Uuid::now_v7(), data: message.encode_to_vec() }
    }

    pub fn message(&self) -> Message {
        Message {
            service: self.service.to_owned(),
            stream_kind: self.stream.kind.to_owned(),
            stream_id: self.stream.id,
            version: self.version,
            follows: self.version - 1,
            event_id: self.event_id,
            kind: self.kind.to_owned(),
            schema: 1,
            data: self.data.clone(),
            metadata: metadata(self.event_id),
            recorded_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    pub fn append(&self) -> Append {
        Append {
            stream: self.stream,
            expected: self.version - 1,
            events: vec![NewEvent {
                event_id: Some(self.event_id),
                kind: self.kind,
                schema: 1,
                data: self.data.clone(),
                publication: Publication::Public { follows: self.version - 1 },
            }],
            metadata: metadata(self.event_id),
        }
    }
}

fn metadata(event_id: Uuid) -> Metadata {
    Metadata {
        correlation_id: event_id,
        causation_id: event_id,
        actor: "tester".to_owned(),
        trace_parent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
    }
}

/// A match of two players and its game.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    pub match_id: Uuid,
    pub game_id: Uuid,
    pub white: Uuid,
    pub black: Uuid,
}

/// How a game ended.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// None for a game without a stake.
    pub match_id: Option<Uuid>,
    pub result: GameResult,
    pub reason: EndReason,
    pub at_ms: i64,
}

impl Match {
    pub fn new(white: Uuid, black: Uuid) -> Self {
        Self { match_id: Uuid::now_v7(), game_id: Uuid::now_v7(), white, black }
    }

    /// Of two new players.
    pub fn of_strangers() -> Self {
        Self::new(Uuid::now_v7(), Uuid::now_v7())
    }

    pub fn proposed(&self, proposed_at_ms: i64) -> Event {
        let proposed = MatchProposed {
            match_id: self.match_id.to_string(),
            game_id: self.game_id.to_string(),
            city_id: "paris".to_owned(),
            white: Some(player(self.white)),
            black: Some(player(self.black)),
            time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
            stake: Some(Money { minor_units: 500, currency: "XPL".to_owned() }),
            fee_basis_points: 500,
            rule_set: "city".to_owned(),
            proposed_at_ms,
            time_scale: 1,
            white_queued_at_ms: proposed_at_ms,
            black_queued_at_ms: proposed_at_ms,
        };
        Event::new("matchmaking", StreamId::new("match", self.match_id), 1, "MatchProposed", &proposed)
    }

    pub fn cancelled(&self) -> Event {
        let cancelled = MatchCancelled {
            match_id: self.match_id.to_string(),
            reason: CancelReason::PlayerLeft.into(),
            player_id: self.white.to_string(),
            white_player_id: self.white.to_string(),
            black_player_id: self.black.to_string(),
        };
        Event::new("matchmaking", StreamId::new("match", self.match_id), 2, "MatchCancelled", &cancelled)
    }

    pub fn ended(&self, moves: &str) -> Event {
        self.ended_from("", moves)
    }

    pub fn ended_from(&self, start_fen: &str, moves: &str) -> Event {
        let moves = moves.split_whitespace();
        let ended = GameEnded {
            game_id: self.game_id.to_string(),
            match_id: self.match_id.to_string(),
            white: Some(player(self.white)),
            black: Some(player(self.black)),
            result: GameResult::WhiteWins.into(),
            end_reason: EndReason::Checkmate.into(),
            moves: moves
                .map(|uci| RecordedMove { uci: uci.to_owned(), charged_ms: 0, clock_ms: 0 })
                .collect(),
            start_fen: start_fen.to_owned(),
            ..GameEnded::default()
        };
        Event::new("game", StreamId::new("game", self.game_id), 1, "GameEnded", &ended)
    }

    /// The end of a game of three minutes and two seconds, with everything that its evidence depends on. White's moves take one
    /// second and Black's two, each a little longer than the one before.
    pub fn ended_with(&self, moves: &str, end: End) -> Event {
        let mut clocks_ms = [180_000_i64; 2];
        let moves = moves.split_whitespace().enumerate().map(|(index, uci)| {
            let side = index % 2;
            let charged_ms = 1_000 * (side as i64 + 1) + 137 * index as i64;
            clocks_ms[side] += 2_000 - charged_ms;
            RecordedMove { uci: uci.to_owned(), charged_ms, clock_ms: clocks_ms[side] }
        });
        let ended = GameEnded {
            game_id: self.game_id.to_string(),
            match_id: end.match_id.map(|id| id.to_string()).unwrap_or_default(),
            city_id: "paris".to_owned(),
            white: Some(player(self.white)),
            black: Some(player(self.black)),
            time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
            result: end.result.into(),
            end_reason: end.reason.into(),
            ended_at_ms: end.at_ms,
            moves: moves.collect(),
            rating_pool: if end.match_id.is_some() { String::new() } else { "table".to_owned() },
            ..GameEnded::default()
        };
        Event::new("game", StreamId::new("game", self.game_id), 1, "GameEnded", &ended)
    }

    /// A win of White by mate, in a staked game.
    pub fn won(&self, moves: &str, at_ms: i64) -> Event {
        let (match_id, result) = (Some(self.match_id), GameResult::WhiteWins);
        self.ended_with(moves, End { match_id, result, reason: EndReason::Checkmate, at_ms })
    }

    pub fn aborted(&self) -> Event {
        let aborted = GameAborted {
            game_id: self.game_id.to_string(),
            match_id: self.match_id.to_string(),
            white: Some(player(self.white)),
            black: Some(player(self.black)),
            end_reason: EndReason::AbortedNoFirstMove.into(),
            ..GameAborted::default()
        };
        Event::new("game", StreamId::new("game", self.game_id), 1, "GameAborted", &aborted)
    }
}

fn player(player_id: Uuid) -> Player {
    Player { player_id: player_id.to_string(), name: "Somebody".to_owned() }
}
