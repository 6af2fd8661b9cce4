//! The hash chain's tables.

use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, Row as _};
use uuid::Uuid;

use crate::app::chain::{Link, RawEvent, START};

const NOTE: &str = include_str!("queries/note_unsealed.sql");
const NEXT: &str = include_str!("queries/unsealed_events.sql");
const INSERT: &str = include_str!("queries/insert_seals.sql");
const REMOVE: &str = include_str!("queries/remove_unsealed.sql");
const PAGE: &str = include_str!("queries/sealed_events.sql");
const OUTSIDE: &str = include_str!("queries/event_outside_the_chain.sql");
const LEAD: &str = "select pg_try_advisory_xact_lock(hashtextextended('stakemate.wallet.seals', 0))";
const HEAD: &str = "select position, hash from seals order by position desc limit 1";
const AT: &str = "select position, hash from seals where position = $1";

/// The most events that are sealed, or read to check their seals, at once.
pub const SEAL_PAGE_ROWS_MAX: i64 = 1_000;

/// An event by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct EventPlace {
    /// The stream.
    pub stream_id: Uuid,
    /// The place in it.
    pub version: i64,
}

/// A place in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPlace {
    /// 0 before the first event.
    pub position: i64,
    /// The link there.
    pub link: Link,
}

impl ChainPlace {
    /// Before the first event.
    pub const START: Self = Self { position: 0, link: START };
}

/// A link of the chain with the event that it seals, if that is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// Where it stands.
    pub place: ChainPlace,
    /// What it seals.
    pub of: EventPlace,
    /// That event; nothing if it is gone.
    pub event: Option<RawEvent>,
}

/// Notes events that were just written, in their transaction.
pub async fn note(conn: &mut PgConnection, events: &[EventPlace]) -> Result<(), sqlx::Error> {
    let (streams, versions) = columns(events.iter());
    sqlx::query(NOTE).bind(streams).bind(versions).execute(conn).await?;
    Ok(())
}

/// Whether this transaction may seal; one at a time may.
pub async fn try_lead(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(LEAD).fetch_one(conn).await
}

/// The end of the chain.
pub async fn head(executor: impl PgExecutor<'_>) -> Result<ChainPlace, sqlx::Error> {
    let row = sqlx::query(HEAD).fetch_optional(executor).await?;
    row.as_ref().map_or(Ok(ChainPlace::START), chain_place)
}

/// The link at a position, if there is one.
pub async fn at(executor: impl PgExecutor<'_>, position: i64) -> Result<Option<ChainPlace>, sqlx::Error> {
    if position == 0 {
        return Ok(Some(ChainPlace::START));
    }
    let row = sqlx::query(AT).bind(position).fetch_optional(executor).await?;
    row.as_ref().map(chain_place).transpose()
}

/// The next events to seal.
pub async fn unsealed(conn: &mut PgConnection) -> Result<Vec<RawEvent>, sqlx::Error> {
    let rows = sqlx::query(NEXT).bind(SEAL_PAGE_ROWS_MAX).fetch_all(conn).await?;
    rows.iter().map(raw_event).collect()
}

/// Writes links, and takes their events off what is to be sealed.
pub async fn seal(conn: &mut PgConnection, links: &[(EventPlace, ChainPlace)]) -> Result<(), sqlx::Error> {
    let (streams, versions) = columns(links.iter().map(|(of, _)| of));
    let positions: Vec<i64> = links.iter().map(|(_, place)| place.position).collect();
    let hashes: Vec<&[u8]> = links.iter().map(|(_, place)| place.link.as_slice()).collect();
    sqlx::query(INSERT)
        .bind(positions)
        .bind(&streams)
        .bind(&versions)
        .bind(hashes)
        .execute(&mut *conn)
        .await?;
    sqlx::query(REMOVE).bind(streams).bind(versions).execute(conn).await?;
    Ok(())
}

/// The links behind a position in their order, at most [`SEAL_PAGE_ROWS_MAX`].
pub async fn page(executor: impl PgExecutor<'_>, after: i64) -> Result<Vec<Seal>, sqlx::Error> {
    let rows = sqlx::query(PAGE).bind(after).bind(SEAL_PAGE_ROWS_MAX).fetch_all(executor).await?;
    rows.iter().map(read).collect()
}

/// An event of the log that is neither sealed nor waits to be: it came by another way than ours.
pub async fn outside(executor: impl PgExecutor<'_>) -> Result<Option<EventPlace>, sqlx::Error> {
    sqlx::query_as(OUTSIDE).fetch_optional(executor).await
}

fn columns<'a>(places: impl Iterator<Item = &'a EventPlace>) -> (Vec<Uuid>, Vec<i64>) {
    places.map(|place| (place.stream_id, place.version)).unzip()
}

fn chain_place(row: &PgRow) -> Result<ChainPlace, sqlx::Error> {
    let hash: Vec<u8> = row.try_get("hash")?;
    let link = hash.try_into().map_err(|_| sqlx::Error::Protocol("a seal has not 32 bytes".to_owned()))?;
    Ok(ChainPlace { position: row.try_get("position")?, link })
}

fn read(row: &PgRow) -> Result<Seal, sqlx::Error> {
    let of = EventPlace { stream_id: row.try_get("stream_id")?, version: row.try_get("version")? };
    let event_id: Option<Uuid> = row.try_get("event_id")?;
    let event = event_id.map(|_| raw_event(row)).transpose()?;
    Ok(Seal { place: chain_place(row)?, of, event })
}

fn raw_event(row: &PgRow) -> Result<RawEvent, sqlx::Error> {
    Ok(RawEvent {
        stream_id: row.try_get("stream_id")?,
        version: row.try_get("version")?,
        event_id: row.try_get("event_id")?,
        kind: row.try_get("kind")?,
        schema: row.try_get("schema")?,
        data: row.try_get("data")?,
        metadata: row.try_get("metadata")?,
        recorded_at_us: row.try_get("recorded_at_us")?,
    })
}
