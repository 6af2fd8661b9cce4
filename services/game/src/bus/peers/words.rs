//! What instances say to each other, in the words of the wire and back. What cannot be read is treated as not heard: the sender may
//! be of another release.

use std::sync::Arc;

use domain_chess::{Clocks, Ended, Event, MovePlayed, Outcome, SanPlus, parse_uci};
use proto::game::v1::{self as pb, frame_note::Event as Noted};
use uuid::Uuid;

use crate::{
    app::{Act, Action, Closing, Frame, GameId, News, PlayerId, Receipt, Sign, Version},
    wire,
};

pub use super::refusals::{read_reply, reply};

/// A request of a player, for the owner.
pub fn act(act: &Act, age_ms: i64) -> pb::OwnerRequest {
    let (kind, uci, plies_seen) = match act.action {
        Action::PlayMove { uci, plies_seen } => (pb::ActKind::PlayMove, uci.to_string(), plies_seen),
        Action::Resign => (pb::ActKind::Resign, String::new(), 0),
        Action::OfferDraw => (pb::ActKind::OfferDraw, String::new(), 0),
        Action::AcceptDraw => (pb::ActKind::AcceptDraw, String::new(), 0),
        Action::DeclineDraw => (pb::ActKind::DeclineDraw, String::new(), 0),
        Action::ClaimDraw => (pb::ActKind::ClaimDraw, String::new(), 0),
        Action::LeaveTable => (pb::ActKind::LeaveTable, String::new(), 0),
    };
    let said = pb::OwnerAct { request_id: act.request_id.to_string(), kind: kind.into(), uci, plies_seen };
    request(act.game_id, Some(act.player_id), age_ms, pb::owner_request::Request::Act(said))
}

/// What a stream tells, for the owner.
pub fn sign(sign: &Sign, age_ms: i64) -> pb::OwnerRequest {
    let (kind, stream_id, nonce) = match sign.news {
        News::Opened { stream_id } => (pb::SignKind::Opened, Some(stream_id), 0),
        News::Pinged { stream_id, nonce } => (pb::SignKind::Pinged, Some(stream_id), nonce),
        News::Ponged { nonce } => (pb::SignKind::Ponged, None, nonce),
        News::Closed { stream_id, why: Closing::Left } => (pb::SignKind::Left, Some(stream_id), 0),
        News::Closed { stream_id, why: Closing::SentAway } => (pb::SignKind::SentAway, Some(stream_id), 0),
    };
    let said = pb::OwnerSign { kind: kind.into(), stream_id: wire::id_text(stream_id), nonce };
    request(sign.game_id, Some(sign.player_id), age_ms, pb::owner_request::Request::Sign(said))
}

/// A game has begun, for the owner.
pub fn begun(game_id: GameId) -> pb::OwnerRequest {
    request(game_id, None, 0, pb::owner_request::Request::Begun(pb::OwnerBegun {}))
}

fn request(
    game_id: GameId,
    player_id: Option<PlayerId>,
    age_ms: i64,
    request: pb::owner_request::Request,
) -> pb::OwnerRequest {
    pb::OwnerRequest {
        game_id: game_id.to_string(),
        player_id: wire::id_text(player_id),
        age_ms,
        request: Some(request),
    }
}

/// What an owner is asked or told.
#[derive(Debug)]
pub enum Asked {
    /// A player acts.
    Act(Act),
    /// A stream tells of itself.
    Sign(Sign),
    /// A game has begun.
    Begun(GameId),
}

/// Reads a request that arrives at `now_ms`.
pub fn read_request(message: &pb::OwnerRequest, now_ms: i64) -> Option<Asked> {
    let game_id = GameId(Uuid::parse_str(&message.game_id).ok()?);
    let at_ms = now_ms.saturating_sub(message.age_ms.max(0));
    let player_id = Uuid::parse_str(&message.player_id).ok().map(PlayerId);
    Some(match message.request.as_ref()? {
        pb::owner_request::Request::Act(said) => Asked::Act(Act {
            game_id,
            player_id: player_id?,
            request_id: Uuid::parse_str(&said.request_id).ok()?,
            action: read_action(said)?,
            received_at_ms: at_ms,
        }),
        pb::owner_request::Request::Sign(said) => {
            Asked::Sign(Sign { game_id, player_id: player_id?, news: read_news(said)?, at_ms })
        }
        pb::owner_request::Request::Begun(_) => Asked::Begun(game_id),
    })
}

fn read_action(said: &pb::OwnerAct) -> Option<Action> {
    Some(match said.kind() {
        pb::ActKind::PlayMove => {
            Action::PlayMove { uci: parse_uci(&said.uci).ok()?, plies_seen: said.plies_seen }
        }
        pb::ActKind::Resign => Action::Resign,
        pb::ActKind::OfferDraw => Action::OfferDraw,
        pb::ActKind::AcceptDraw => Action::AcceptDraw,
        pb::ActKind::DeclineDraw => Action::DeclineDraw,
        pb::ActKind::ClaimDraw => Action::ClaimDraw,
        pb::ActKind::LeaveTable => Action::LeaveTable,
        pb::ActKind::Unspecified => return None,
    })
}

fn read_news(said: &pb::OwnerSign) -> Option<News> {
    let stream_id = || Uuid::parse_str(&said.stream_id).ok();
    Some(match said.kind() {
        pb::SignKind::Opened => News::Opened { stream_id: stream_id()? },
        pb::SignKind::Pinged => News::Pinged { stream_id: stream_id()?, nonce: said.nonce },
        pb::SignKind::Ponged => News::Ponged { nonce: said.nonce },
        pb::SignKind::Left => News::Closed { stream_id: stream_id()?, why: Closing::Left },
        pb::SignKind::SentAway => News::Closed { stream_id: stream_id()?, why: Closing::SentAway },
        pb::SignKind::Unspecified => return None,
    })
}

/// What a request led to.
pub(super) fn done(receipt: &Receipt) -> pb::ActDone {
    let of_move = receipt.played.and_then(|played| played.clocks);
    let of_end = receipt.ended.and_then(|ended| ended.clocks);
    pb::ActDone {
        sequence: u64::try_from(receipt.version).unwrap_or(0),
        played: receipt.played.as_ref().map(move_played),
        ended: receipt.ended.as_ref().map(ended),
        offers_left: receipt.offers_left,
        has_clocks: of_move.or(of_end).is_some(),
    }
}

pub(super) fn read_done(done: &pb::ActDone) -> Option<Receipt> {
    let played = match &done.played {
        Some(played) => Some(read_move(played, done.has_clocks)?),
        None => None,
    };
    let ended = match &done.ended {
        Some(ended) => Some(read_ended(ended, done.has_clocks)?),
        None => None,
    };
    let version = Version::try_from(done.sequence).ok()?;
    Some(Receipt { version, played, ended, offers_left: done.offers_left })
}

/// An event as those hear of it who follow the game elsewhere.
pub fn frame(frame: &Frame) -> pb::FrameNote {
    let by = |color| wire::color(color) as i32;
    let event = match &frame.event {
        // Only the log has it whole.
        Event::Started(_) => None,
        Event::MovePlayed(played) => Some(Noted::MovePlayed(move_played(played))),
        Event::DrawOffered { by: color, at_ms } => {
            Some(Noted::DrawOffered(pb::DrawOffered { by: by(*color), at_ms: *at_ms }))
        }
        Event::DrawDeclined { by: color, at_ms } => {
            Some(Noted::DrawDeclined(pb::DrawDeclined { by: by(*color), at_ms: *at_ms }))
        }
        Event::Resumed { at_ms, stood_still_ms } => {
            Some(Noted::Resumed(pb::GameResumed { resumed_at_ms: *at_ms, stood_still_ms: *stood_still_ms }))
        }
        Event::PlayerGone { by: color, at_ms } => {
            Some(Noted::PlayerGone(pb::PlayerGone { by: by(*color), at_ms: *at_ms }))
        }
        Event::PlayerBack { by: color, at_ms } => {
            Some(Noted::PlayerBack(pb::PlayerBack { by: by(*color), at_ms: *at_ms }))
        }
        Event::Ended(end) => Some(Noted::Ended(ended(end))),
    };
    let (white_clock_ms, black_clock_ms) = clock_pair(frame.clocks);
    pb::FrameNote {
        sequence: u64::try_from(frame.version).unwrap_or(0),
        event,
        has_clocks: frame.clocks.is_some(),
        white_clock_ms,
        black_clock_ms,
        gone_deadline_ms: frame.gone_deadline_ms,
        gone_ms_max: frame.gone_ms_max,
    }
}

/// Reads an event; `None` when the log has to be asked.
pub fn read_frame(note: &pb::FrameNote) -> Option<Arc<Frame>> {
    let has_clocks = note.has_clocks;
    let event = match note.event.as_ref()? {
        Noted::MovePlayed(played) => Event::MovePlayed(read_move(played, has_clocks)?),
        Noted::DrawOffered(said) => Event::DrawOffered { by: wire::read_color(said.by)?, at_ms: said.at_ms },
        Noted::DrawDeclined(said) => {
            Event::DrawDeclined { by: wire::read_color(said.by)?, at_ms: said.at_ms }
        }
        Noted::Resumed(said) => {
            Event::Resumed { at_ms: said.resumed_at_ms, stood_still_ms: said.stood_still_ms }
        }
        Noted::PlayerGone(said) => Event::PlayerGone { by: wire::read_color(said.by)?, at_ms: said.at_ms },
        Noted::PlayerBack(said) => Event::PlayerBack { by: wire::read_color(said.by)?, at_ms: said.at_ms },
        Noted::Ended(said) => Event::Ended(read_ended(said, has_clocks)?),
    };
    Some(Arc::new(Frame {
        version: Version::try_from(note.sequence).ok()?,
        event,
        clocks: read_clocks(has_clocks, note.white_clock_ms, note.black_clock_ms),
        gone_deadline_ms: note.gone_deadline_ms,
        gone_ms_max: note.gone_ms_max,
    }))
}

fn move_played(played: &MovePlayed) -> pb::MovePlayed {
    let (white_clock_ms, black_clock_ms) = clock_pair(played.clocks);
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

fn read_move(message: &pb::MovePlayed, has_clocks: bool) -> Option<MovePlayed> {
    Some(MovePlayed {
        ply: message.ply,
        uci: parse_uci(&message.uci).ok()?,
        san: SanPlus::from_ascii(message.san.as_bytes()).ok()?,
        received_at_ms: message.received_at_ms,
        elapsed_ms: message.elapsed_ms,
        charged_ms: message.charged_ms,
        lag_credit_ms: message.lag_credit_ms,
        clocks: read_clocks(has_clocks, message.white_clock_ms, message.black_clock_ms),
    })
}

pub(super) fn ended(ended: &Ended) -> pb::EndedFrame {
    let (white_clock_ms, black_clock_ms) = clock_pair(ended.clocks);
    pb::EndedFrame {
        status: wire::status(ended.outcome).into(),
        result: wire::result(ended.outcome).into(),
        end_reason: wire::end_reason(ended.reason).into(),
        ended_at_ms: ended.at_ms,
        white_clock_ms,
        black_clock_ms,
    }
}

pub(super) fn read_ended(message: &pb::EndedFrame, has_clocks: bool) -> Option<Ended> {
    let outcome = match message.status() {
        pb::GameStatus::Aborted => Outcome::Aborted,
        _ => wire::read_result(message.result)?,
    };
    Some(Ended {
        outcome,
        reason: wire::read_end_reason(message.end_reason)?,
        at_ms: message.ended_at_ms,
        clocks: read_clocks(has_clocks, message.white_clock_ms, message.black_clock_ms),
    })
}

fn clock_pair(clocks: Option<Clocks>) -> (i64, i64) {
    clocks.map_or((0, 0), |clocks| (clocks.white_ms, clocks.black_ms))
}

fn read_clocks(has_clocks: bool, white_ms: i64, black_ms: i64) -> Option<Clocks> {
    has_clocks.then_some(Clocks { white_ms, black_ms })
}
