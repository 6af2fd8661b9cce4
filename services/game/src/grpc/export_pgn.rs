//! A game as PGN.

use domain_chess::pgn::{self, Headers, PgnGame};
use proto::game::v1 as pb;
use service_kit::ids;
use time::{OffsetDateTime, macros::format_description};
use tonic::Status;

use super::{Service, status};
use crate::app::{GameId, Record};

/// Where our games are played.
const SITE: &str = "Stakemate";

pub(super) async fn handle(
    service: &Service,
    request: pb::ExportPgnRequest,
) -> Result<pb::ExportPgnResponse, Status> {
    let game_id = GameId(ids::uuid("game_id", &request.game_id)?);
    let record = service.games.read(game_id).await.map_err(status::of_read)?;
    let game = PgnGame::from_events(record.entries().iter().map(|entry| &entry.event));
    Ok(pb::ExportPgnResponse { pgn: pgn::export(&headers(&record), &game) })
}

fn headers(record: &Record) -> Headers {
    let (facts, started) = (record.facts(), record.started());
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(started.at_ms) * 1_000_000).ok();
    let date = at.and_then(|at| at.format(format_description!("[year].[month].[day]")).ok());
    let clock = at.and_then(|at| at.format(format_description!("[hour]:[minute]:[second]")).ok());
    let mut more = vec![("GameId".to_owned(), facts.game_id.to_string())];
    if let (Some(date), Some(clock)) = (&date, clock) {
        more.push(("UTCDate".to_owned(), date.clone()));
        more.push(("UTCTime".to_owned(), clock));
    }
    Headers {
        event: format!("{} game", started.rule_set.name),
        site: SITE.to_owned(),
        date: date.unwrap_or_default(),
        round: String::new(),
        white: facts.white.name.clone(),
        black: facts.black.name.clone(),
        more,
    }
}
