//! A game as PGN: for one who asks for it, and for all of them in one file.

use domain_chess::pgn::{self, Headers, PgnGame};
use time::{OffsetDateTime, macros::format_description};

use crate::app::Record;

/// Where our games are played.
const SITE: &str = "Stakemate";
/// Tags of an imported game that the game itself says better.
const OWN: [&str; 12] = [
    "White",
    "Black",
    "Result",
    "SetUp",
    "FEN",
    "TimeControl",
    "Termination",
    "EndReason",
    "GameId",
    "Event",
    "Site",
    "Date",
];

/// Writes a game. `tags` are those that an imported game came with.
pub fn write(record: &Record, tags: &[(String, String)]) -> String {
    let game = PgnGame::from_events(record.entries().iter().map(|entry| &entry.event));
    let mut headers = own_headers(record);
    if !tags.is_empty() {
        let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone());
        headers.event = value("Event").unwrap_or_default();
        headers.site = value("Site").unwrap_or_default();
        headers.date = value("Date").unwrap_or_default();
        headers.round = value("Round").unwrap_or_default();
        headers.more.retain(|(name, _)| name == "GameId");
        let others = tags.iter().filter(|(name, _)| !OWN.contains(&name.as_str()) && name != "Round");
        headers.more.extend(others.cloned());
    }
    pgn::export(&headers, &game)
}

fn own_headers(record: &Record) -> Headers {
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
