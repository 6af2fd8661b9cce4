//! Many games at once: PGN files in, one PGN file out. For the command line; no rpc leads here.

use std::{io, sync::Arc};

use domain_chess::{
    EndReason, Ended, Event, Outcome,
    pgn_import::{self, Imported},
};
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    archive::{self, ArchiveError, Packed},
    games::{self, List, Listing, PageKey},
    journal,
};
use crate::{
    app::{
        Cause, CityId, Entry, Facts, GameId, JournalError, MatchId, PlayerId, Record, Seat, Stake, Version,
    },
    score_sheet,
};

/// The city of imported games; no real one has this name.
pub const CITY: &str = "import";
/// The currency of the stake that imported games do not have.
const CURRENCY: &str = "XPL";
/// The name space of ids that are made of what was read, so that the same game is the same whenever it is imported.
const NAME_SPACE: Uuid = Uuid::from_u128(0x6d2f_8b4e_51c7_5a39_9f0e_3b7a_c4d8_1e62);
/// How many games are looked up at once for an export.
const EXPORT_ROWS: u32 = 500;

/// Why an import or export stopped.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The file cannot be read, or the output not be written.
    #[error("the file failed")]
    File(#[from] io::Error),
    /// The database did not do as asked.
    #[error("the database refused")]
    Database(#[from] sqlx::Error),
    /// A stored game cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A game that was read cannot be packed: a fault of ours.
    #[error("game {number} of the file cannot be packed")]
    Pack {
        /// Its number in the file, from 1.
        number: usize,
        /// Why.
        source: ArchiveError,
    },
}

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// So many games are new in the archive.
    pub added: usize,
    /// So many were there already.
    pub known: usize,
    /// Those that were not taken, by their number in the file, and why.
    pub refused: Vec<(usize, pgn_import::Refusal)>,
}

/// Takes the games of a PGN file into the archive, as casual games of the city [`CITY`]. Repeating it adds nothing.
///
/// # Errors
/// When the file or the database fails; games before that point are in the archive.
pub async fn import(pool: &PgPool, source: impl io::Read + Send) -> Result<Import, LibraryError> {
    let mut report = Import::default();
    for (game, number) in pgn_import::Games::new(source).zip(1..) {
        match game? {
            Err(refusal) => report.refused.push((number, refusal)),
            Ok(imported) => {
                let is_new = take(pool, imported, number).await?;
                if is_new { report.added += 1 } else { report.known += 1 }
            }
        }
    }
    Ok(report)
}

/// Writes every game that has ended, the newest first, as one PGN file, and answers how many there are.
///
/// # Errors
/// When the database or the output fails.
pub async fn export(
    pool: &PgPool,
    mut out: impl FnMut(&str) -> io::Result<()>,
) -> Result<usize, LibraryError> {
    let mut written = 0;
    let mut after = PageKey::START;
    loop {
        let page = List {
            listing: Listing::All,
            city_id: None,
            status: None,
            result: None,
            started_from_ms: i64::MIN,
            started_before_ms: i64::MAX,
            after,
            rows_max: EXPORT_ROWS,
        };
        let rows = games::list(pool, &page).await?;
        let Some(last) = rows.last() else { return Ok(written) };
        after = last.key();
        for row in rows.iter().filter(|row| row.ended_at_ms != 0) {
            let game_id = GameId(row.game_id);
            let mut conn = pool.acquire().await?;
            let Some(record) = journal::read(&mut conn, game_id).await? else { continue };
            drop(conn);
            let tags = if row.city_id == CITY { archive::tags(pool, game_id).await? } else { Vec::new() };
            out(&score_sheet::write(&record, &tags))?;
            out("\n")?;
            written += 1;
        }
    }
}

async fn take(pool: &PgPool, imported: Imported, number: usize) -> Result<bool, LibraryError> {
    let record = record(&imported);
    let game_id = record.facts().game_id;
    let packed = Packed::of_record(&record).map_err(|source| LibraryError::Pack { number, source })?;
    let tags: Vec<String> = imported.tags.into_iter().flat_map(|(name, value)| [name, value]).collect();
    let mut transaction = pool.begin().await?;
    if !archive::insert(&mut transaction, game_id, &packed, &tags).await? {
        return Ok(false);
    }
    games::insert(&mut transaction, record.facts(), record.started()).await?;
    if let Some(ended) = record.end() {
        let plies =
            record.entries().iter().filter(|entry| matches!(entry.event, Event::MovePlayed(_))).count();
        // The list takes 0 for a game that is being played.
        let ended = Ended { at_ms: if ended.at_ms == 0 { 1 } else { ended.at_ms }, ..*ended };
        games::end(&mut transaction, game_id, &ended, plies).await?;
    }
    archive::mark_packed(&mut transaction, game_id).await?;
    transaction.commit().await?;
    Ok(true)
}

/// The game as one of ours. One without a result is kept as one that does not count.
fn record(imported: &Imported) -> Record {
    let mut events = imported.events.clone();
    if !matches!(events.last(), Some(Event::Ended(_))) {
        let (at_ms, clocks) = events
            .iter()
            .rev()
            .find_map(|event| match event {
                Event::MovePlayed(played) => Some((played.received_at_ms, played.clocks)),
                _ => None,
            })
            .unwrap_or((0, None));
        let (outcome, reason) = (Outcome::Aborted, EndReason::AbortedServer);
        events.push(Event::Ended(Ended { outcome, reason, at_ms, clocks }));
    }
    let facts = Arc::new(facts(imported));
    let entries = events.into_iter().zip(1..).map(|(event, version): (Event, Version)| Entry {
        version,
        event_id: None,
        cause: Cause::Service,
        event,
    });
    let entries = entries.collect();
    Record::new(facts, entries).expect("an imported game begins with its start")
}

fn facts(imported: &Imported) -> Facts {
    let name = |tag: &str| imported.tag(tag).unwrap_or("?").to_owned();
    let (white, black) = (name("White"), name("Black"));
    // One name is one player; only against himself he needs a second id.
    let apart = if white == black { " (Black)" } else { "" };
    let player = |name: &str| PlayerId(Uuid::new_v5(&NAME_SPACE, format!("player {name}").as_bytes()));
    let moves = imported.events.iter().filter_map(|event| match event {
        Event::MovePlayed(played) => Some(format!(" {}@{}", played.uci, played.received_at_ms)),
        _ => None,
    });
    let words: String =
        [format!("game {white} / {black} / {}", name("Date"))].into_iter().chain(moves).collect();
    let id = Uuid::new_v5(&NAME_SPACE, words.as_bytes());
    Facts {
        game_id: GameId(id),
        match_id: Some(MatchId(Uuid::new_v5(&id, b"match"))),
        table_id: None,
        city_id: CityId(CITY.to_owned()),
        white: Seat { player_id: player(&white), name: white.clone() },
        black: Seat { player_id: player(&format!("{black}{apart}")), name: black.clone() },
        stake: Some(Stake { minor_units: 0, currency: CURRENCY.to_owned() }),
    }
}
