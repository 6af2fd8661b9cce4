//! Fields of requests.

use domain_ledger::{Amount, Currency};
use proto::types::v1::Money;
use proto::wallet::v1::{StatementFilter, TransferKind};
use service_kit::auth::Principal;
use service_kit::fields::Violations;
use service_kit::ids;
use time::OffsetDateTime;
use tonic::Status;

use super::command::Caller;
use crate::store::statement::Filter;

/// The least and the most characters of a reason.
const REASON_CHARS: std::ops::RangeInclusive<usize> = 3..=500;

/// The most kinds in a filter: more than there are is no filter.
const FILTER_KINDS_MAX: usize = 16;

/// Who asks under which id, and the rest of the request; INVALID_ARGUMENT that names every bad field.
pub(super) fn request<T>(
    principal: Principal,
    request_id: &str,
    rest: Option<T>,
    mut bad: Violations,
) -> Result<(Caller, T), Status> {
    match (bad.check("request_id", ids::parse(request_id)), rest) {
        (Some(request_id), Some(rest)) if bad.is_empty() => Ok((Caller { principal, request_id }, rest)),
        _ => Err(bad.into_status()),
    }
}

/// A sum of money that is more than nothing (case F21).
pub(super) fn amount(money: Option<&Money>, bad: &mut Violations) -> Option<(Amount, Currency)> {
    let Some(money) = money else {
        bad.add("amount", "is missing");
        return None;
    };
    let amount = bad.check("amount.minor_units", Amount::new(money.minor_units));
    let currency = bad.check("amount.currency", Currency::parse(&money.currency));
    Some((amount?, currency?))
}

/// A sum that may be negative, but not nothing.
pub(super) fn signed_amount(money: Option<&Money>, bad: &mut Violations) -> Option<(i64, Currency)> {
    let Some(money) = money else {
        bad.add("amount", "is missing");
        return None;
    };
    let is_sum = money.minor_units != 0 && money.minor_units != i64::MIN;
    if !is_sum {
        bad.add("amount.minor_units", "must not be zero, and must have an opposite");
    }
    let currency = bad.check("amount.currency", Currency::parse(&money.currency));
    is_sum.then_some((money.minor_units, currency?))
}

/// A reason in words.
pub(super) fn reason(text: &str, bad: &mut Violations) -> Option<String> {
    let text = text.trim();
    if REASON_CHARS.contains(&text.chars().count()) && !text.contains('\0') {
        return Some(text.to_owned());
    }
    bad.add("reason", "must have 3 to 500 characters");
    None
}

/// Which lines of a statement.
pub(super) fn filter(asked: Option<&StatementFilter>, bad: &mut Violations) -> Option<Filter> {
    let Some(asked) = asked else { return Some(Filter::default()) };
    let since = instant("filter.since_ms", asked.since_ms, bad);
    let until = instant("filter.until_ms", asked.until_ms, bad);
    let is_kind =
        |kind: &i32| TransferKind::try_from(*kind).is_ok_and(|kind| kind != TransferKind::Unspecified);
    if asked.kinds.len() > FILTER_KINDS_MAX || !asked.kinds.iter().all(is_kind) {
        bad.add("filter.kinds", "must be kinds of transfers");
        return None;
    }
    let kinds = asked.kinds.iter().filter_map(|kind| i16::try_from(*kind).ok()).collect();
    Some(Filter { since: since?, until: until?, kinds })
}

fn instant(field: &str, unix_ms: i64, bad: &mut Violations) -> Option<Option<OffsetDateTime>> {
    if unix_ms == 0 {
        return Some(None);
    }
    let parsed = OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000);
    match parsed {
        Ok(at) if unix_ms > 0 => Some(Some(at)),
        _ => {
            bad.add(field, "must be milliseconds since the Unix epoch");
            None
        }
    }
}
