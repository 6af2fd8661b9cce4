//! The first answers to commands: what is asked again is answered as the first time, refusals too.

use sqlx::PgConnection;
use uuid::Uuid;

const FIND: &str = "select input_hash, code, body, details from command_answers where id = $1";
const INSERT: &str =
    "insert into command_answers (id, input_hash, code, body, details) values ($1, $2, $3, $4, $5)";

/// A stored answer.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AnswerRow {
    /// The digest of what was asked.
    pub input_hash: Vec<u8>,
    /// The gRPC code; 0 for OK.
    pub code: i32,
    /// The encoded response, or the message of the refusal.
    pub body: Vec<u8>,
    /// The encoded details of the refusal.
    pub details: Vec<u8>,
}

/// The answer that was given to a command, if one was.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<AnswerRow>, sqlx::Error> {
    sqlx::query_as(FIND).bind(id).fetch_optional(conn).await
}

/// Keeps the first answer to a command.
pub async fn insert(conn: &mut PgConnection, id: Uuid, answer: &AnswerRow) -> Result<(), sqlx::Error> {
    sqlx::query(INSERT)
        .bind(id)
        .bind(&answer.input_hash)
        .bind(answer.code)
        .bind(&answer.body)
        .bind(&answer.details)
        .execute(conn)
        .await?;
    Ok(())
}
