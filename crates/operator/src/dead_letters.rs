//! What the service could not handle, and what operators do about it.

use event_bus::dead_letter_actions::{self, Action, ActionKind, DoneAction};
use event_bus::dead_letters::{self, DeadLetter, LetterPlace, Reason};
use proto::operator::v1 as pb;
use service_kit::auth::Principal;
use service_kit::fields::Violations;
use service_kit::status::from_sqlx;
use service_kit::{ids, paging};
use tonic::Status;
use uuid::Uuid;

use crate::{Desk, at_us, refusals, unix_ms, unix_us};

/// Characters of a reason.
const REASON_CHARS: std::ops::RangeInclusive<usize> = 3..=500;
/// Bytes of a consumer's name at most.
const CONSUMER_BYTES_MAX: usize = 128;
/// Names the lists in their page tokens.
const LETTERS: &str = "dead_letters";
const ACTIONS: &str = "dead_letter_actions";

pub(super) async fn list(
    desk: &Desk,
    request: pb::ListDeadLettersRequest,
) -> Result<pb::ListDeadLettersResponse, Status> {
    let mut bad = Violations::default();
    let page = paging::read::<(String, Uuid, i64)>(LETTERS, request.page_size, &request.page_token, &mut bad);
    if request.consumer.len() > CONSUMER_BYTES_MAX {
        bad.add("consumer", "is too long for a consumer's name");
    }
    let (true, Some(page)) = (bad.is_empty(), page) else { return Err(bad.into_status()) };
    let consumer = Some(request.consumer.as_str()).filter(|name| !name.is_empty());
    let after = page.after.map(|(consumer, stream_id, version)| LetterPlace { consumer, stream_id, version });
    let limit = page.size as usize + 1;
    let mut letters = dead_letters::list(&desk.pool, consumer, after.as_ref(), limit)
        .await
        .map_err(|error| from_sqlx(&error))?;
    let next_page_token = paging::cut(LETTERS, page.size, &mut letters, |letter| {
        (letter.place.consumer.clone(), letter.place.stream_id, letter.place.version)
    });
    let dead_letters = letters.into_iter().map(letter).collect();
    Ok(pb::ListDeadLettersResponse { dead_letters, next_page_token })
}

pub(super) async fn retry(
    desk: &Desk,
    actor: &Principal,
    request: pb::RetryDeadLetterRequest,
) -> Result<pb::RetryDeadLetterResponse, Status> {
    let asked = Asked {
        request_id: &request.request_id,
        consumer: &request.consumer,
        stream_id: &request.stream_id,
        version: request.version,
        reason: &request.reason,
    };
    act(desk, asked.action(ActionKind::Retry, actor)?).await?;
    Ok(pb::RetryDeadLetterResponse {})
}

pub(super) async fn skip(
    desk: &Desk,
    actor: &Principal,
    request: pb::SkipDeadLetterRequest,
) -> Result<pb::SkipDeadLetterResponse, Status> {
    let asked = Asked {
        request_id: &request.request_id,
        consumer: &request.consumer,
        stream_id: &request.stream_id,
        version: request.version,
        reason: &request.reason,
    };
    act(desk, asked.action(ActionKind::Skip, actor)?).await?;
    Ok(pb::SkipDeadLetterResponse {})
}

pub(super) async fn actions(
    desk: &Desk,
    request: pb::ListDeadLetterActionsRequest,
) -> Result<pb::ListDeadLetterActionsResponse, Status> {
    let mut bad = Violations::default();
    let page = paging::read::<(i64, Uuid)>(ACTIONS, request.page_size, &request.page_token, &mut bad);
    let Some(page) = page else { return Err(bad.into_status()) };
    let after = page.after.map(|(us, request_id)| (at_us(us), request_id));
    let mut done = dead_letter_actions::list(&desk.pool, after, page.size as usize + 1)
        .await
        .map_err(|error| from_sqlx(&error))?;
    let next_page_token =
        paging::cut(ACTIONS, page.size, &mut done, |done| (unix_us(done.acted_at), done.action.request_id));
    Ok(pb::ListDeadLetterActionsResponse {
        actions: done.into_iter().map(done_action).collect(),
        next_page_token,
    })
}

/// The fields that both actions have.
struct Asked<'a> {
    request_id: &'a str,
    consumer: &'a str,
    stream_id: &'a str,
    version: i64,
    reason: &'a str,
}

impl Asked<'_> {
    fn action(&self, kind: ActionKind, actor: &Principal) -> Result<Action, Status> {
        let mut bad = Violations::default();
        let request_id = bad.check("request_id", ids::parse(self.request_id));
        let stream_id = bad.check("stream_id", ids::parse(self.stream_id));
        if !(1..=CONSUMER_BYTES_MAX).contains(&self.consumer.len()) {
            bad.add("consumer", "must be a consumer's name");
        }
        if self.version < 1 {
            bad.add("version", "must be a version as it is listed");
        }
        let reason = self.reason.trim();
        if !REASON_CHARS.contains(&reason.chars().count()) {
            bad.add("reason", "must be 3 to 500 characters");
        }
        let (true, Some(request_id), Some(stream_id)) = (bad.is_empty(), request_id, stream_id) else {
            return Err(bad.into_status());
        };
        let place = LetterPlace { consumer: self.consumer.to_owned(), stream_id, version: self.version };
        let actor = actor.player_id.to_string();
        Ok(Action { request_id, kind, place, actor, reason: reason.to_owned() })
    }
}

/// In a task of its own: a client that leaves must not drop a transaction half-way.
async fn act(desk: &Desk, action: Action) -> Result<(), Status> {
    let pool = desk.pool.clone();
    let acting = tokio::spawn(async move { dead_letter_actions::act(&pool, &action).await });
    acting.await.map_err(service_kit::status::internal)?.map_err(refusals::of_act)
}

fn letter(letter: DeadLetter) -> pb::DeadLetter {
    let reason = match letter.reason {
        Reason::Fault => pb::DeadLetterReason::Fault,
        Reason::Gap => pb::DeadLetterReason::Gap,
        Reason::Behind => pb::DeadLetterReason::Behind,
    };
    pb::DeadLetter {
        consumer: letter.place.consumer,
        stream_id: letter.place.stream_id.to_string(),
        version: letter.place.version,
        event_id: letter.event_id.to_string(),
        subject: letter.subject,
        reason: reason.into(),
        error: letter.error,
        attempts: letter.attempts.unsigned_abs(),
        retry_requested: letter.retry_requested,
        parked_at_ms: unix_ms(letter.parked_at),
    }
}

fn done_action(done: DoneAction) -> pb::DeadLetterAction {
    let DoneAction { action, subject, error, acted_at } = done;
    let kind = match action.kind {
        ActionKind::Retry => pb::DeadLetterActionKind::Retry,
        ActionKind::Skip => pb::DeadLetterActionKind::Skip,
    };
    pb::DeadLetterAction {
        kind: kind.into(),
        consumer: action.place.consumer,
        stream_id: action.place.stream_id.to_string(),
        version: action.place.version,
        subject,
        error,
        actor: action.actor,
        reason: action.reason,
        acted_at_ms: unix_ms(acted_at),
    }
}
