//! Sticky idempotency: what was asked under an id, and what came of it first.

use std::collections::HashMap;

use domain_ledger::idempotency::{Idempotency, InputHash};
use sqlx::PgConnection;
use uuid::Uuid;

const FIND: &str = "select id, input_hash, outcome from operations where id = any ($1::uuid[])";
const INSERT: &str = include_str!("queries/insert_operations.sql");

/// What came of an operation. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationOutcome {
    /// It was done, or had been done before in another way.
    Done = 1,
    /// It was refused.
    Refused = 2,
}

/// What is stored under these ids, as far as anything is.
pub async fn find_all(
    conn: &mut PgConnection,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, Idempotency<OperationOutcome>>, sqlx::Error> {
    let rows: Vec<(Uuid, Vec<u8>, i16)> = sqlx::query_as(FIND).bind(ids).fetch_all(conn).await?;
    let read = rows.into_iter().map(|(id, hash, outcome)| {
        let hash: [u8; 32] = hash.try_into().map_err(|_| corrupt("an input hash has not 32 bytes"))?;
        let outcome = match outcome {
            1 => OperationOutcome::Done,
            2 => OperationOutcome::Refused,
            _ => return Err(corrupt("an operation has an unknown outcome")),
        };
        Ok((id, Idempotency { input_hash: InputHash(hash), outcome }))
    });
    read.collect()
}

/// Stores the first outcomes of ids. A second one of an id is an error of the database.
pub async fn insert_all(
    conn: &mut PgConnection,
    outcomes: &[(Uuid, Idempotency<OperationOutcome>)],
) -> Result<(), sqlx::Error> {
    if outcomes.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = outcomes.iter().map(|(id, _)| *id).collect();
    let hashes: Vec<&[u8]> = outcomes.iter().map(|(_, first)| first.input_hash.0.as_slice()).collect();
    let codes: Vec<i16> = outcomes.iter().map(|(_, first)| first.outcome as i16).collect();
    sqlx::query(INSERT).bind(ids).bind(hashes).bind(codes).execute(conn).await?;
    Ok(())
}

fn corrupt(what: &str) -> sqlx::Error {
    sqlx::Error::Protocol(what.to_owned())
}
