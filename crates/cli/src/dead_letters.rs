//! `stakemate dead-letters`: messages that a service could not handle.

use event_bus::dead_letters::{self, DeadLetter, LetterPlace, PAGE_LETTERS_MAX, SkipError};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::format_description::well_known::Rfc3339;

use crate::arguments::{Letter, ServiceName};
use crate::dev::state::DevState;
use crate::failure::Failure;
use crate::output::print_line;

/// Prints the parked messages of one service, or of all, as JSON lines.
pub async fn list(state: &DevState, service: Option<ServiceName>) -> Result<(), Failure> {
    let services = service.map_or_else(|| ServiceName::ALL.to_vec(), |service| vec![service]);
    for service in services {
        let pool = PgPool::connect(&state.service(service).database_url).await?;
        let mut after: Option<LetterPlace> = None;
        loop {
            let page = dead_letters::list(&pool, None, after.as_ref(), PAGE_LETTERS_MAX).await?;
            for letter in &page {
                print_line(&line(service, letter));
            }
            match page.last() {
                Some(last) if page.len() == PAGE_LETTERS_MAX => after = Some(last.place.clone()),
                _ => break,
            }
        }
        pool.close().await;
    }
    Ok(())
}

fn line(service: ServiceName, letter: &DeadLetter) -> Value {
    json!({
        "service": service.as_str(),
        "consumer": letter.place.consumer,
        "stream_id": letter.place.stream_id,
        "version": letter.place.version,
        "follows": letter.follows,
        "event_id": letter.event_id,
        "subject": letter.subject,
        "reason": letter.reason.as_str(),
        "error": letter.error,
        "attempts": letter.attempts,
        "retry_requested": letter.retry_requested,
        "parked_at": letter.parked_at.format(&Rfc3339).unwrap_or_default(),
    })
}

/// Asks the running consumer for another try of the stream's first parked message.
pub async fn retry(state: &DevState, letter: &Letter) -> Result<(), Failure> {
    let pool = PgPool::connect(&state.service(letter.service).database_url).await?;
    let found = dead_letters::retry(&pool, &letter.consumer, letter.stream).await?;
    pool.close().await;
    match found {
        true => Ok(()),
        false => Err(Failure::NotParked(format!(
            "nothing of the stream {} is parked for {}",
            letter.stream, letter.consumer
        ))),
    }
}

/// Counts the stream's first parked message as handled without its effects.
pub async fn skip(state: &DevState, letter: &Letter, version: i64) -> Result<(), Failure> {
    let pool = PgPool::connect(&state.service(letter.service).database_url).await?;
    let place = LetterPlace { consumer: letter.consumer.clone(), stream_id: letter.stream, version };
    let skipped = dead_letters::skip(&pool, &place).await;
    pool.close().await;
    skipped.map_err(|error| match error {
        SkipError::Database(error) => error.into(),
        other => Failure::NotParked(other.to_string()),
    })
}
