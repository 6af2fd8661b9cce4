//! Tables: what is asked of them is decided on their logs, and a game that begins begins in the same transaction.
//!
//! A table is asked for little, so it has no owner: whoever is asked reads the log, decides and writes, and starts over when
//! somebody else has written first. So of two crossing offers of another game one is written first, and the other then
//! finds it and agrees.

use std::sync::Arc;

use domain_chess::{Color, Command, Event, Game, Start, StartPosition, Started, TimeScale, decide};
use uuid::Uuid;

use super::{
    act::{Act, ActError, Action},
    facts::{CityId, Facts, GameId, PlayerId, TableId},
    games::Games,
    journal::{JournalError, Refused as NotAdded, Version},
    refused::Refused,
    table::{Circumstances, Running, Sitter, Table, TableCommand, TableEvent, TableRefusal, Terms},
    table_store::{TableAddition, TableEntry, TableStore},
};

/// How often a request is decided anew because somebody else had written first. Few people act at one table.
const DECISIONS_MAX: usize = 5;
/// How many open tables one host may have.
pub const OPEN_TABLES_PER_HOST_MAX: i64 = 5;

/// A table as a request left it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The table.
    pub table: Table,
    /// How many events its log has.
    pub version: Version,
    /// Whether its game is running.
    pub game: Running,
}

/// Why a request at a table did not lead to what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// There is no such table.
    #[error("there is no such table")]
    Unknown,
    /// The table refuses.
    #[error(transparent)]
    Refused(#[from] TableRefusal),
    /// No table is played like this.
    #[error("no table is played by this rule set with this clock and these settings")]
    TermsNotAllowed,
    /// The host has as many open tables as anybody may have.
    #[error("a host has at most {OPEN_TABLES_PER_HOST_MAX} open tables")]
    TooManyTables,
    /// The request id stands for another request.
    #[error("the request id was used before with another body")]
    RequestIdReused,
    /// Too many act at this table at once. Asking again with the same request id is safe.
    #[error("too many act at this table at once")]
    Busy,
    /// The game that is left could not be ended.
    #[error(transparent)]
    Game(ActError),
    /// The log failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// All tables.
#[derive(Clone, Debug)]
pub struct Tables {
    store: Arc<dyn TableStore>,
    games: Games,
}

/// Who asks, and with which id.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Who.
    pub player_id: PlayerId,
    /// The id that he gave the request: the same id again is the same request.
    pub request_id: Uuid,
}

impl Tables {
    /// Games that begin are taken up by `games`.
    pub fn new(store: Arc<dyn TableStore>, games: Games) -> Tables {
        Tables { store, games }
    }

    /// Opens a table, once for each request.
    pub async fn open(&self, host: Sitter, request_id: Uuid, terms: Terms) -> Result<Shown, TableError> {
        if !terms.are_allowed() {
            return Err(TableError::TermsNotAllowed);
        }
        let host_id = host.seat.player_id;
        let event_id = fingerprint(host_id.0, host_id, request_id, &words(&terms));
        for _ in 0..DECISIONS_MAX {
            if let Some(table_id) = self.store.opened_by(host_id, request_id).await? {
                let log = self.store.load(table_id).await?;
                let asked = Asked { player_id: host_id, request_id };
                return earlier(&log, asked, event_id).unwrap_or(Err(TableError::Unknown));
            }
            if self.store.open_tables_of(host_id).await? >= OPEN_TABLES_PER_HOST_MAX {
                return Err(TableError::TooManyTables);
            }
            let at_ms = self.games.now_ms();
            let opened = TableEvent::Opened {
                table_id: TableId(Uuid::now_v7()),
                host: host.clone(),
                terms: Box::new(terms.clone()),
                at_ms,
            };
            let after = Table::replay([&opened]).expect("a table begins with its opening");
            let addition = TableAddition {
                expected: 0,
                by: Some(host_id),
                request_id,
                event_id,
                events: vec![opened],
                after: after.clone(),
                game: None,
                at_ms,
            };
            match self.store.add(addition).await {
                Ok(version) => return Ok(Shown { table: after, version, game: Running::No }),
                Err(JournalError::Refused(NotAdded::Conflict { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(TableError::Busy)
    }

    /// A table as it stands.
    pub async fn get(&self, table_id: TableId) -> Result<Shown, TableError> {
        let log = self.store.load(table_id).await?;
        let table = replayed(&log, table_id)?;
        Ok(Shown { version: last_version(&log), game: self.runs(&table).await?, table })
    }

    /// Gets up. A running game is lost first where the rule set says so, with the same request id, so that asking again goes on
    /// where the first try stopped.
    pub async fn leave(&self, table_id: TableId, asked: Asked) -> Result<Shown, TableError> {
        let command = TableCommand::Leave(asked.player_id);
        let table = replayed(&self.store.load(table_id).await?, table_id)?;
        let game_id = table.game_id().filter(|_| table.leaving_loses() && table.sits(asked.player_id));
        if let Some(game_id) = game_id
            && self.runs(&table).await? == Running::Yes
        {
            let act = Act {
                game_id,
                player_id: asked.player_id,
                request_id: asked.request_id,
                action: Action::LeaveTable,
                received_at_ms: self.games.now_ms(),
            };
            match self.games.act(act).await {
                // It ended by itself in the meantime.
                Ok(_) | Err(ActError::Refused(Refused::GameOver { .. })) => {}
                Err(error) => return Err(TableError::Game(error)),
            }
        }
        self.act(table_id, asked, command).await
    }

    /// Does what somebody asks of a table, once for each request.
    pub async fn act(
        &self,
        table_id: TableId,
        asked: Asked,
        command: TableCommand,
    ) -> Result<Shown, TableError> {
        let event_id = fingerprint(table_id.0, asked.player_id, asked.request_id, command_words(&command));
        for _ in 0..DECISIONS_MAX {
            let log = self.store.load(table_id).await?;
            let table = replayed(&log, table_id)?;
            if let Some(answer) = earlier(&log, asked, event_id) {
                return answer;
            }
            let addition = self.decide(&table, &log, &command).await?;
            let addition = TableAddition {
                by: Some(asked.player_id),
                request_id: asked.request_id,
                event_id,
                ..addition
            };
            if let Some(shown) = self.add(addition).await? {
                return Ok(shown);
            }
        }
        Err(TableError::Busy)
    }

    /// Closes tables where nothing has happened since `before_ms`. Answers how many.
    pub async fn close_idle(&self, before_ms: i64) -> Result<usize, TableError> {
        let idle = self.store.idle_since(before_ms).await?;
        for table_id in &idle {
            let log = self.store.load(*table_id).await?;
            let table = replayed(&log, *table_id)?;
            match self.decide(&table, &log, &TableCommand::Expire).await {
                // Somebody who came in between keeps it open.
                Ok(addition) => drop(self.add(addition).await?),
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(idle.len())
    }

    async fn decide(
        &self,
        table: &Table,
        log: &[TableEntry],
        command: &TableCommand,
    ) -> Result<TableAddition, TableError> {
        let now_ms = self.games.now_ms();
        let circumstances = Circumstances {
            now_ms,
            game: self.runs(table).await?,
            next_game_id: GameId(Uuid::now_v7()),
            drawn: draw(),
        };
        let events = table.decide(command, circumstances)?;
        let after = Table::replay(log.iter().map(|entry| &entry.event).chain(&events))
            .expect("what is decided for a table follows its log");
        let game = events.iter().find_map(|event| beginning(event, &after));
        Ok(TableAddition {
            expected: last_version(log),
            by: None,
            request_id: Uuid::now_v7(),
            event_id: Uuid::now_v7(),
            events,
            after,
            game,
            at_ms: now_ms,
        })
    }

    /// `None` when somebody else has written first.
    async fn add(&self, addition: TableAddition) -> Result<Option<Shown>, TableError> {
        let table = addition.after.clone();
        let begun = addition.game.as_ref().map(|(facts, _)| facts.game_id);
        match self.store.add(addition).await {
            Ok(version) => {
                if let Some(game_id) = begun {
                    self.games.take_up(game_id);
                }
                let game = if begun.is_some() { Running::Yes } else { Running::No };
                Ok(Some(Shown { table, version, game }))
            }
            Err(JournalError::Refused(NotAdded::Conflict { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn runs(&self, table: &Table) -> Result<Running, JournalError> {
        match table.game_id() {
            Some(game_id) => self.store.runs(game_id).await,
            None => Ok(Running::No),
        }
    }
}

/// The start of the game that an event begins.
fn beginning(event: &TableEvent, table: &Table) -> Option<(Facts, Box<Started>)> {
    let TableEvent::GameBegun { game_id, white, black, at_ms } = event else { return None };
    let facts = Facts {
        game_id: *game_id,
        match_id: None,
        table_id: Some(table.table_id()),
        city_id: CityId(String::new()),
        white: white.clone(),
        black: black.clone(),
        stake: None,
    };
    let start = Start {
        rule_set: Arc::new(table.terms().rule_set.clone()),
        time_control: table.terms().time_control,
        start_position: StartPosition::default(),
        standing: table.standing(),
        time_scale: TimeScale::REAL,
        now_ms: *at_ms,
    };
    let events = decide(&Game::new(), &Command::Start(Box::new(start)))
        .expect("the terms were looked at when the table was opened");
    events.into_iter().find_map(|event| match event {
        Event::Started(started) => Some((facts.clone(), started)),
        _ => None,
    })
}

fn draw() -> Color {
    if Uuid::new_v4().as_bytes()[0].is_multiple_of(2) { Color::White } else { Color::Black }
}

fn replayed(log: &[TableEntry], table_id: TableId) -> Result<Table, TableError> {
    if log.is_empty() {
        return Err(TableError::Unknown);
    }
    Table::replay(log.iter().map(|entry| &entry.event)).ok_or_else(|| {
        let reason = "the events of a table do not follow each other".to_owned();
        JournalError::Damaged { game_id: GameId(table_id.0), reason }.into()
    })
}

fn last_version(log: &[TableEntry]) -> Version {
    log.last().map_or(0, |entry| entry.version)
}

/// What the same request was answered when it came for the first time, made from the log.
fn earlier(log: &[TableEntry], asked: Asked, event_id: Uuid) -> Option<Result<Shown, TableError>> {
    let is_its =
        |entry: &&TableEntry| (entry.by, entry.request_id) == (Some(asked.player_id), asked.request_id);
    if log.iter().find(is_its)?.event_id != event_id {
        return Some(Err(TableError::RequestIdReused));
    }
    let last = log.iter().rfind(is_its)?;
    let then = log.iter().take_while(|entry| entry.version <= last.version);
    let table = Table::replay(then.map(|entry| &entry.event))?;
    let game = match last.event {
        TableEvent::GameBegun { .. } => Running::Yes,
        _ => Running::No,
    };
    Some(Ok(Shown { table, version: last.version, game }))
}

fn fingerprint(space: Uuid, player_id: PlayerId, request_id: Uuid, words: &str) -> Uuid {
    Uuid::new_v5(&space, format!("{player_id} {request_id} {words}").as_bytes())
}

/// The request in words. Part of what is kept for ever: never change it.
fn command_words(command: &TableCommand) -> &'static str {
    match command {
        TableCommand::TakeSeat(_) => "take_seat",
        TableCommand::Leave(_) => "leave_table",
        TableCommand::OfferRematch(_) => "offer_rematch",
        TableCommand::AcceptRematch(_) => "accept_rematch",
        TableCommand::DeclineRematch(_) => "decline_rematch",
        TableCommand::Expire => "expire",
    }
}

/// The terms in words, likewise.
fn words(terms: &Terms) -> String {
    let control = terms.time_control.map_or_else(|| "untimed".to_owned(), |control| control.to_string());
    let rules = &terms.rule_set;
    format!(
        "open_table {} {control} {:?} {:?} {:?} {:?} {}",
        rules.name,
        terms.visibility,
        terms.wanted,
        terms.host_color,
        rules.draws,
        rules.lag_credit.is_some(),
    )
}
