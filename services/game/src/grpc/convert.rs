//! The domain's words as the wire has them.

use domain_chess::{
    Clocks, Color, Ended, Event, Game, MovePlayed, Standing, gone_deadline_ms, next_deadline_ms,
};
use proto::{game::v1 as pb, types::v1 as types};
use service_kit::status as kit;
use tonic::Status;

use pb::watch_game_response::Frame as Content;

use super::list_rule_sets;
use crate::{
    app::{Facts, Frame, Record, Version},
    store::GameRow,
    wire,
};

/// A place in the log as clients see it.
pub(super) fn sequence(version: Version) -> u64 {
    u64::try_from(version).unwrap_or(0)
}

/// A move.
pub(super) fn played(played: &MovePlayed) -> pb::Move {
    let (white_clock_ms, black_clock_ms) = clocks(played.clocks);
    pb::Move {
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

/// The result, once there is one.
pub(super) fn result(ended: Option<&Ended>) -> pb::GameResult {
    ended.map_or(pb::GameResult::Unspecified, |ended| wire::result(ended.outcome))
}

/// Why a game ended, once it has.
pub(super) fn end_reason(ended: Option<&Ended>) -> pb::EndReason {
    ended.map_or(pb::EndReason::Unspecified, |ended| wire::end_reason(ended.reason))
}

/// A game as `game` has it at `now_ms`, with the moves of `record`.
pub(super) fn game(record: &Record, game: &Game, now_ms: i64) -> pb::Game {
    let moves = record.entries().iter().filter_map(|entry| match &entry.event {
        Event::MovePlayed(move_played) => Some(played(move_played)),
        _ => None,
    });
    pb::Game { moves: moves.collect(), ..bare_game(record.facts(), game, now_ms) }
}

/// A game without its moves.
fn bare_game(facts: &Facts, game: &Game, now_ms: i64) -> pb::Game {
    let ended = game.end();
    // Those that the game began with, whatever the set of that name says today.
    let rules = game.rule_set();
    let (white_clock_ms, black_clock_ms) = clocks(game.clocks_at(now_ms));
    let turn = game.is_playing().then(|| wire::color(game.side_to_move()));
    let unsaid = types::Color::Unspecified;
    pb::Game {
        game_id: facts.game_id.to_string(),
        match_id: facts.match_id.map_or_else(String::new, |id| id.to_string()),
        city_id: facts.city_id.0.clone(),
        rule_set: rules.name.clone(),
        white: Some(wire::player(&facts.white)),
        black: Some(wire::player(&facts.black)),
        time_control: game.time_control().map(wire::time_control),
        stake: facts.stake.as_ref().map(wire::money),
        status: ended.map_or(pb::GameStatus::Live, |ended| wire::status(ended.outcome)) as i32,
        result: result(ended) as i32,
        end_reason: end_reason(ended) as i32,
        moves: Vec::new(),
        fen: game.fen(),
        white_clock_ms,
        black_clock_ms,
        turn: turn.unwrap_or(unsaid) as i32,
        draw_offer_by: game.draw_offer().map_or(unsaid, wire::color) as i32,
        started_at_ms: game.started().map_or(0, |started| started.at_ms),
        ended_at_ms: ended.map_or(0, |ended| ended.at_ms),
        server_time_ms: now_ms,
        deadline_ms: next_deadline_ms(game, 0).unwrap_or(0),
        time_scale: game.started().map_or(1, |started| started.time_scale.get()),
        white_gone_since_ms: game.gone_since_ms(Color::White).unwrap_or(0),
        black_gone_since_ms: game.gone_since_ms(Color::Black).unwrap_or(0),
        abandonment_at_ms: gone_deadline_ms(game).unwrap_or(0),
        table_id: facts.table_id.map_or_else(String::new, |id| id.to_string()),
        rated: game.started().is_some_and(|started| started.standing == Standing::Rated),
        draws: list_rule_sets::draws(rules.draws) as i32,
        first_move_due_ms: list_rule_sets::first_move_due_ms(rules),
        leaving_table_loses: list_rule_sets::leaving_table_loses(rules),
    }
}

/// An event as the content of a stream's frame.
pub(super) fn content(facts: &Facts, frame: &Frame) -> Result<Content, Status> {
    let (white_clock_ms, black_clock_ms) = clocks(frame.clocks);
    Ok(match &frame.event {
        Event::Started(started) => {
            let game = Game::replay([&frame.event]).map_err(kit::internal)?;
            Content::Started(pb::GameStartedFrame { game: Some(bare_game(facts, &game, started.at_ms)) })
        }
        Event::MovePlayed(move_played) => Content::Move(played(move_played)),
        Event::DrawOffered { by, .. } => {
            Content::DrawOffered(pb::DrawOfferedFrame { by: wire::color(*by) as i32 })
        }
        Event::DrawDeclined { by, .. } => {
            Content::DrawDeclined(pb::DrawDeclinedFrame { by: wire::color(*by) as i32 })
        }
        Event::Resumed { stood_still_ms, .. } => Content::Resumed(pb::ResumedFrame {
            stood_still_ms: *stood_still_ms,
            white_clock_ms,
            black_clock_ms,
        }),
        Event::Ended(ended) => Content::Ended(pb::EndedFrame {
            status: wire::status(ended.outcome) as i32,
            result: wire::result(ended.outcome) as i32,
            end_reason: wire::end_reason(ended.reason) as i32,
            ended_at_ms: ended.at_ms,
            white_clock_ms,
            black_clock_ms,
        }),
        Event::PlayerGone { by, at_ms } => Content::PlayerGone(pb::PlayerGoneFrame {
            by: wire::color(*by) as i32,
            gone_since_ms: *at_ms,
            loses_after_ms: frame.gone_ms_max.unwrap_or(0),
        }),
        Event::PlayerBack { by, .. } => {
            Content::PlayerBack(pb::PlayerBackFrame { by: wire::color(*by) as i32 })
        }
    })
}

/// A game in a list.
pub(super) fn summary(row: &GameRow) -> pb::GameSummary {
    let control = row.base_ms.zip(row.increment_ms);
    pb::GameSummary {
        game_id: row.game_id.to_string(),
        match_id: row.match_id.map_or_else(String::new, |id| id.to_string()),
        city_id: row.city_id.clone(),
        white: Some(types::Player { player_id: row.white_id.to_string(), name: row.white_name.clone() }),
        black: Some(types::Player { player_id: row.black_id.to_string(), name: row.black_name.clone() }),
        time_control: control.map(|(base_ms, increment_ms)| types::TimeControl {
            base_ms: base_ms.into(),
            increment_ms: increment_ms.into(),
        }),
        status: row.status.into(),
        result: row.result.into(),
        end_reason: row.end_reason.into(),
        plies: u32::try_from(row.plies).unwrap_or(0),
        started_at_ms: row.started_at_ms,
        ended_at_ms: row.ended_at_ms,
        table_id: row.table_id.map_or_else(String::new, |id| id.to_string()),
    }
}

/// Both clocks as two numbers; zeros in a game without clocks.
fn clocks(clocks: Option<Clocks>) -> (i64, i64) {
    clocks.map_or((0, 0), |clocks| (clocks.white_ms, clocks.black_ms))
}
