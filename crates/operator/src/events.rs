//! ListEvents: the service's log, the newest first.

use event_store::{Look, LookPosition, SeenEvent, look};
use proto::operator::v1::{ListEventsRequest, ListEventsResponse, LoggedEvent};
use service_kit::fields::Violations;
use service_kit::{ids, paging};
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;

use crate::{Desk, at_us, decode, refusals, unix_ms, unix_us};

/// Streams of one search.
const STREAMS_MAX: usize = 10;
/// Chains of causes of one search.
const CORRELATIONS_MAX: usize = 20;
/// Names of events of one search.
const KINDS_MAX: usize = 20;
/// Longer data is not shown.
const DATA_JSON_BYTES_MAX: usize = 16 * 1024;
/// Names the list in its page tokens.
const LIST: &str = "events";
/// The end of what a time in milliseconds may be: the year 9999.
const MS_MAX: i64 = 253_402_300_799_999;

type Place = (i64, Uuid, i64);

pub(super) async fn list(desk: &Desk, request: ListEventsRequest) -> Result<ListEventsResponse, Status> {
    let mut bad = Violations::default();
    let stream_ids = all_ids("stream_ids", &request.stream_ids, STREAMS_MAX, &mut bad);
    let correlation_ids = all_ids("correlation_ids", &request.correlation_ids, CORRELATIONS_MAX, &mut bad);
    check_kinds(&request.kinds, &mut bad);
    let since = instant("since_ms", request.since_ms, &mut bad);
    let until = instant("until_ms", request.until_ms, &mut bad);
    let page = paging::read::<Place>(LIST, request.page_size, &request.page_token, &mut bad);
    let (true, Some(page)) = (bad.is_empty(), page) else { return Err(bad.into_status()) };
    let from = match page.after {
        Some((us, stream_id, version)) => LookPosition { recorded_at: at_us(us), stream_id, version },
        // The database's clock may be a little ahead of ours.
        None => {
            LookPosition::before(until.unwrap_or_else(|| OffsetDateTime::now_utc() + time::Duration::MINUTE))
        }
    };
    let _looking = desk.looks.try_acquire().map_err(|_| service_kit::status::overloaded())?;
    let wanted = Look { stream_ids, correlation_ids, kinds: request.kinds, since };
    let limit = page.size as usize + 1;
    let mut seen = look(&desk.pool, &wanted, from, limit).await.map_err(refusals::of_look)?;
    let place = |seen: &SeenEvent| -> Place {
        (unix_us(seen.event.recorded_at), seen.event.stream_id, seen.event.version)
    };
    let next_page_token = paging::cut(LIST, page.size, &mut seen, place);
    let events = seen.into_iter().map(|seen| logged(desk.service, seen)).collect();
    Ok(ListEventsResponse { events, next_page_token })
}

fn all_ids(field: &str, texts: &[String], count_max: usize, bad: &mut Violations) -> Vec<Uuid> {
    if texts.len() > count_max {
        bad.add(field, format!("must be at most {count_max}"));
        return Vec::new();
    }
    texts.iter().filter_map(|text| bad.check(field, ids::parse(text))).collect()
}

fn check_kinds(kinds: &[String], bad: &mut Violations) {
    if kinds.len() > KINDS_MAX {
        bad.add("kinds", format!("must be at most {KINDS_MAX}"));
    }
    let is_name = |kind: &String| {
        (1..=event_store::NAME_BYTES_MAX).contains(&kind.len())
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if !kinds.iter().all(is_name) {
        bad.add("kinds", "must be names of events, as GameEnded");
    }
}

/// The instant, if one is given.
fn instant(field: &str, ms: i64, bad: &mut Violations) -> Option<OffsetDateTime> {
    if !(0..=MS_MAX).contains(&ms) {
        bad.add(field, "must be milliseconds since the Unix epoch");
    }
    (1..=MS_MAX).contains(&ms).then(|| at_us(ms * 1_000))
}

fn logged(service: &str, seen: SeenEvent) -> LoggedEvent {
    let SeenEvent { event, stream_kind, published_at } = seen;
    let data_json = decode::event_data(service, &event.kind, &event.data).to_string();
    LoggedEvent {
        stream_id: event.stream_id.to_string(),
        stream_kind: stream_kind.unwrap_or_default(),
        version: event.version,
        event_id: event.id().to_string(),
        kind: event.kind,
        schema: event.schema.into(),
        correlation_id: event.metadata.correlation_id.to_string(),
        causation_id: event.metadata.causation_id.to_string(),
        actor: event.metadata.actor,
        trace_parent: event.metadata.trace_parent.unwrap_or_default(),
        recorded_at_ms: unix_ms(event.recorded_at),
        published_at_ms: published_at.map(unix_ms),
        data_bytes: u32::try_from(event.data.len()).unwrap_or(u32::MAX),
        data_json: if data_json.len() > DATA_JSON_BYTES_MAX { String::new() } else { data_json },
    }
}
