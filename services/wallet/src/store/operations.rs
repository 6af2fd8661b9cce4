//! Sticky idempotency: what was asked under an id, and what came of it first.

use domain_ledger::idempotency::{Idempotency, InputHash};
use sqlx::PgConnection;
use uuid::Uuid;

const FIND: &str = "select input_hash, outcome from operations where id = $1";
const INSERT: &str = include_str!("queries/insert_operation.sql");

/// What came of an operation. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationOutcome {
    /// It was done, or had been done before in another way.
    Done = 1,
    /// It was refused.
    Refused = 2,
}

/// What is stored under the id, if anything.
pub async fn find(
    conn: &mut PgConnection,
    id: Uuid,
) -> Result<Option<Idempotency<OperationOutcome>>, sqlx::Error> {
    let row: Option<(Vec<u8>, i16)> = sqlx::query_as(FIND).bind(id).fetch_optional(conn).await?;
    row.map(|(hash, outcome)| {
        let hash: [u8; 32] = hash.try_into().map_err(|_| corrupt("an input hash has not 32 bytes"))?;
        let outcome = match outcome {
            1 => OperationOutcome::Done,
            2 => OperationOutcome::Refused,
            _ => return Err(corrupt("an operation has an unknown outcome")),
        };
        Ok(Idempotency { input_hash: InputHash(hash), outcome })
    })
    .transpose()
}

/// Stores the first outcome of an id. A second one is an error of the database.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    first: &Idempotency<OperationOutcome>,
) -> Result<(), sqlx::Error> {
    sqlx::query(INSERT)
        .bind(id)
        .bind(first.input_hash.0.as_slice())
        .bind(first.outcome as i16)
        .execute(conn)
        .await?;
    Ok(())
}

fn corrupt(what: &str) -> sqlx::Error {
    sqlx::Error::Protocol(what.to_owned())
}
