//! Takes a match one step further: read its log, decide, append, keep the projection in step, all in one transaction.

use event_store::{AppendError, Metadata};
use sqlx::{Acquire as _, PgConnection, PgPool};
use uuid::Uuid;

use crate::app::match_process::{Input, Next, Step, decide};
use crate::store::{match_log, matches};

/// How long fair-play and the wallet each have for their answer.
pub const STEP_TIMEOUT_MS: i64 = 30_000;

/// How often a step is tried again when somebody else took one at the same moment.
const CONFLICT_RETRIES_MAX: u32 = 5;

/// What an input did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advanced {
    /// This step was taken.
    Took(Step),
    /// Nothing: it came before, or the match is over.
    Nothing,
}

/// Why a match could not be taken further.
#[derive(Debug, thiserror::Error)]
pub enum AdvanceError {
    /// The input came before the step it answers; it is to be tried again.
    #[error("the match is not that far yet")]
    Early,
    /// The log is not readable.
    #[error(transparent)]
    Read(#[from] match_log::ReadError),
    /// The step could not be written.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The projection could not be written.
    #[error("the match projection is unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// Takes the step that `input` asks for, inside the caller's transaction.
pub async fn advance_in(
    conn: &mut PgConnection,
    match_id: Uuid,
    input: Input,
    metadata: Metadata,
) -> Result<Advanced, AdvanceError> {
    let log = match_log::read(conn, match_id).await?;
    let step = match decide(log.phase, input) {
        Next::Take(step) => step,
        Next::Nothing => return Ok(Advanced::Nothing),
        Next::Early => return Err(AdvanceError::Early),
    };
    let proposal = log.proposal.as_ref().ok_or(AdvanceError::Early)?;
    match_log::append(conn, &log, proposal, step, metadata).await?;
    matches::update(conn, match_id, step, STEP_TIMEOUT_MS).await?;
    Ok(Advanced::Took(step))
}

/// The same in a transaction of its own, tried again when somebody else took a step at the same moment.
pub async fn advance(
    pool: &PgPool,
    match_id: Uuid,
    input: Input,
    metadata: Metadata,
) -> Result<Advanced, AdvanceError> {
    let mut retries = 0;
    loop {
        let mut conn = pool.acquire().await?;
        let mut transaction = conn.begin().await?;
        match advance_in(&mut transaction, match_id, input, metadata.clone()).await {
            Ok(advanced) => {
                transaction.commit().await?;
                return Ok(advanced);
            }
            Err(AdvanceError::Append(AppendError::Conflict { .. })) if retries < CONFLICT_RETRIES_MAX => {
                transaction.rollback().await?;
                retries += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
