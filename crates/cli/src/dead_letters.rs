//! `stakemate dead-letters`: messages that a service could not handle.

use event_bus::dead_letter_actions::{self, ActError, Action, ActionKind};
use event_bus::dead_letters::{self, DeadLetter, LetterPlace, PAGE_LETTERS_MAX};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use crate::arguments::{Letter, ServiceName};
use crate::dev::state::DevState;
use crate::failure::Failure;
use crate::output::print_line;

/// Who acts, in the note that is kept.
const ACTOR: &str = "command line";

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
    let first = dead_letters::first(&pool, &letter.consumer, letter.stream).await?;
    let acted = match first {
        Some(version) => act(&pool, ActionKind::Retry, letter, version).await,
        None => Err(Failure::NotParked(format!(
            "nothing of the stream {} is parked for {}",
            letter.stream, letter.consumer
        ))),
    };
    pool.close().await;
    acted
}

/// Counts the stream's first parked message as handled without its effects.
pub async fn skip(state: &DevState, letter: &Letter, version: i64) -> Result<(), Failure> {
    let pool = PgPool::connect(&state.service(letter.service).database_url).await?;
    let acted = act(&pool, ActionKind::Skip, letter, version).await;
    pool.close().await;
    acted
}

async fn act(pool: &PgPool, kind: ActionKind, letter: &Letter, version: i64) -> Result<(), Failure> {
    let action = Action {
        request_id: Uuid::now_v7(),
        kind,
        place: LetterPlace { consumer: letter.consumer.clone(), stream_id: letter.stream, version },
        actor: ACTOR.to_owned(),
        reason: letter.reason.clone(),
    };
    dead_letter_actions::act(pool, &action).await.map_err(|error| match error {
        ActError::Database(error) => error.into(),
        other => Failure::NotParked(other.to_string()),
    })
}
