//! Tickets as they stand in Redis. Two versions of the service share them during a deploy: a new field needs a default.

use proto::matchmaking::v1::CancelReason;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::TicketError;
use crate::app::cities::{Terms, TimeControl};
use crate::app::tickets::{Applicant, Ended, QueueKey, State, Ticket};

/// What does not change in a ticket.
#[derive(Serialize, Deserialize)]
struct Record {
    player_id: Uuid,
    name: String,
    request_id: Uuid,
    rating: f64,
    color_balance: i32,
    last_game: Option<(Uuid, i64)>,
    city_id: String,
    base_ms: i64,
    increment_ms: i64,
    stake_minor_units: i64,
    currency: String,
    fee_basis_points: u32,
    queued_at_ms: i64,
}

pub(super) fn encode(ticket: &Ticket) -> String {
    let applicant = &ticket.applicant;
    let record = Record {
        player_id: applicant.player_id,
        name: applicant.name.clone(),
        request_id: applicant.request_id,
        rating: applicant.rating,
        color_balance: applicant.color_balance,
        last_game: applicant.last_game,
        city_id: ticket.queue.city_id.clone(),
        base_ms: ticket.queue.time_control.base_ms,
        increment_ms: ticket.queue.time_control.increment_ms,
        stake_minor_units: ticket.terms.stake_minor_units,
        currency: ticket.terms.currency.clone(),
        fee_basis_points: ticket.terms.fee_basis_points,
        queued_at_ms: ticket.queued_at_ms,
    };
    serde_json::to_string(&record).expect("a record has no map with keys that are no text")
}

pub(super) fn decode(ticket_id: &str, data: &str) -> Result<Ticket, TicketError> {
    let record: Record =
        serde_json::from_str(data).map_err(|error| TicketError::Unreadable(error.to_string()))?;
    Ok(Ticket {
        ticket_id: id(ticket_id)?,
        applicant: Applicant {
            player_id: record.player_id,
            name: record.name,
            request_id: record.request_id,
            rating: record.rating,
            color_balance: record.color_balance,
            last_game: record.last_game,
        },
        queue: QueueKey {
            city_id: record.city_id,
            time_control: TimeControl { base_ms: record.base_ms, increment_ms: record.increment_ms },
        },
        terms: Terms {
            stake_minor_units: record.stake_minor_units,
            currency: record.currency,
            fee_basis_points: record.fee_basis_points,
        },
        queued_at_ms: record.queued_at_ms,
        state: State::Searching,
        not_before_ms: 0,
        exhausted: Vec::new(),
    })
}

pub(super) fn id(text: &str) -> Result<Uuid, TicketError> {
    Uuid::parse_str(text).map_err(|_| TicketError::Unreadable(format!("{text:?} is no UUID")))
}

pub(super) fn queue_name(queue: &QueueKey) -> String {
    let clock = queue.time_control;
    format!("{}/{}/{}", queue.city_id, clock.base_ms, clock.increment_ms)
}

pub(super) fn queue(name: &str) -> Result<QueueKey, TicketError> {
    let unreadable = || TicketError::Unreadable(format!("{name:?} is no queue"));
    let mut parts = name.split('/');
    let city_id = parts.next().ok_or_else(unreadable)?.to_owned();
    let mut number = || parts.next().and_then(|text| text.parse().ok()).ok_or_else(unreadable);
    let time_control = TimeControl { base_ms: number()?, increment_ms: number()? };
    Ok(QueueKey { city_id, time_control })
}

pub(super) fn state_text(state: State) -> String {
    match state {
        State::Searching => String::new(),
        State::InMatch(match_id) => match_id.to_string(),
    }
}

pub(super) fn state(text: &str) -> Result<State, TicketError> {
    if text.is_empty() { Ok(State::Searching) } else { id(text).map(State::InMatch) }
}

pub(super) fn ended_text(ended: Ended) -> String {
    match ended {
        Ended::Matched(match_id) => format!("matched:{match_id}"),
        Ended::Closed(reason) => format!("closed:{}", i32::from(reason)),
    }
}

pub(super) fn ended(text: &str) -> Result<Ended, TicketError> {
    match text.split_once(':') {
        Some(("matched", match_id)) => id(match_id).map(Ended::Matched),
        Some(("closed", number)) => {
            let reason = number.parse().ok().and_then(|number: i32| CancelReason::try_from(number).ok());
            Ok(Ended::Closed(reason.unwrap_or(CancelReason::Unspecified)))
        }
        _ => Err(TicketError::Unreadable(format!("{text:?} is no end of a ticket"))),
    }
}

/// As `player@day` with spaces between.
pub(super) fn exhausted_text(exhausted: &[(Uuid, i64)]) -> String {
    exhausted.iter().map(|(player, day)| format!("{player}@{day}")).collect::<Vec<_>>().join(" ")
}

/// What is not readable is left out: fair-play refuses the pair all the same.
pub(super) fn exhausted(text: &str) -> Vec<(Uuid, i64)> {
    let entries = text.split(' ').filter_map(|entry| entry.split_once('@'));
    entries.filter_map(|(player, day)| Some((player.parse().ok()?, day.parse().ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_comes_back_as_it_went_in() {
        let ticket = Ticket {
            ticket_id: Uuid::from_u128(1),
            applicant: Applicant {
                player_id: Uuid::from_u128(2),
                name: "Ödön \"/ @".to_owned(),
                request_id: Uuid::from_u128(3),
                rating: 1_499.999_999,
                color_balance: -2,
                last_game: Some((Uuid::from_u128(4), 1_800_000_000_000)),
            },
            queue: QueueKey {
                city_id: "monte-carlo".to_owned(),
                time_control: TimeControl::minutes_plus_seconds(3, 2),
            },
            terms: Terms { stake_minor_units: 500, currency: "XPL".to_owned(), fee_basis_points: 250 },
            queued_at_ms: 1_800_000_000_001,
            state: State::Searching,
            not_before_ms: 0,
            exhausted: Vec::new(),
        };
        let back = decode(&ticket.ticket_id.to_string(), &encode(&ticket)).expect("it was just encoded");
        assert_eq!(back, ticket);
        assert_eq!(queue(&queue_name(&ticket.queue)).expect("a name"), ticket.queue);
    }

    #[test]
    fn states_ends_and_exhausted_opponents_come_back_as_they_went_in() {
        for before in [State::Searching, State::InMatch(Uuid::from_u128(7))] {
            assert_eq!(state(&state_text(before)).expect("a state"), before);
        }
        for before in [Ended::Matched(Uuid::from_u128(7)), Ended::Closed(CancelReason::CityClosed)] {
            assert_eq!(ended(&ended_text(before)).expect("an end"), before);
        }
        for before in [vec![], vec![(Uuid::from_u128(1), 20_000), (Uuid::from_u128(2), -1)]] {
            assert_eq!(exhausted(&exhausted_text(&before)), before);
        }
    }
}
