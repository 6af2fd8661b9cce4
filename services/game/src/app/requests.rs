//! What an owner remembers of the requests of one game.

use std::collections::{HashSet, VecDeque};

use domain_chess::Color;
use uuid::Uuid;

use super::{
    act::Action,
    journal::{Cause, Entry},
    refused::Refused,
};

/// How many refused requests are remembered, the oldest forgotten first. They stand in no log: this is to answer a packet
/// that comes twice within moments, such as an `AcceptDraw` that must not accept the next offer.
const REFUSED_REMEMBERED_MAX: usize = 32;

/// The requests that a game has seen. As many accepted ones as the log has events, and a few refused ones.
#[derive(Debug, Default)]
pub(super) struct Requests {
    accepted: HashSet<(Color, Uuid)>,
    refused: VecDeque<Earlier>,
}

#[derive(Debug)]
struct Earlier {
    by: Color,
    request_id: Uuid,
    action: Action,
    refused: Refused,
}

/// What is known of a request that comes in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It is new.
    No,
    /// It took effect: the answer stands in the log.
    Accepted,
    /// It was refused, and is refused again.
    Refused(Refused),
}

impl Requests {
    /// Notes the cause of an event of the log.
    pub(super) fn note(&mut self, entry: &Entry) {
        if let Cause::Request { by, request_id } = entry.cause {
            self.accepted.insert((by, request_id));
        }
    }

    /// Notes a refused request.
    pub(super) fn note_refused(&mut self, by: Color, request_id: Uuid, action: Action, refused: Refused) {
        if self.refused.len() == REFUSED_REMEMBERED_MAX {
            self.refused.pop_front();
        }
        self.refused.push_back(Earlier { by, request_id, action, refused });
    }

    /// What is known of a request.
    pub(super) fn know(&self, by: Color, request_id: Uuid, action: Action) -> Known {
        if self.accepted.contains(&(by, request_id)) {
            return Known::Accepted;
        }
        match self.refused.iter().find(|earlier| (earlier.by, earlier.request_id) == (by, request_id)) {
            None => Known::No,
            Some(earlier) if earlier.action == action => Known::Refused(earlier.refused.clone()),
            Some(_) => Known::Refused(Refused::RequestIdReused),
        }
    }
}
