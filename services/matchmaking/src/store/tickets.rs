//! The tickets of all queues in Redis, where every instance of the service finds them.
//!
//! A ticket is a hash; a queue is a sorted set of its searching players, by the time until which some instance vouches that
//! somebody follows the ticket. Whatever looks before it changes something is one script, so that no other instance comes in
//! between. All of it may be lost: each instance puts back what it follows, and nothing that was promised is only here.

mod answers;
mod codec;
mod look;

use std::collections::HashMap;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands as _, RedisError, Script};
use uuid::Uuid;

use crate::app::tickets::{Ended, QueueKey, State, TICKET_GRACE_MS, Ticket};

pub use answers::{
    Claim, Closing, Entered, Entering, Led, Move, Reader, Search, Standing, TicketError, Touched, Unknown,
};

pub use look::QueueLook;

/// All keys begin with it; the server may hold other things.
const PREFIX: &str = "stakemate:matchmaking:";

/// How long an answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// For so long an instance vouches that somebody follows a ticket; it renews that long before. An instance that dies leaves
/// tickets that can be paired for no longer than this.
const VOUCHED_MS: i64 = 6_000;

/// The lease on a queue. Its leader renews it several times a second; another one takes over when it is dead for so long.
const LEASE_MS: i64 = 3_000;

/// How long it is remembered how a ticket ended: longer than any instance follows one without asking.
const ENDED_MEMORY_MS: i64 = 600_000;

/// How many waits a queue remembers, and for how long.
const WAITS_MAX: usize = 100;
const WAITS_MEMORY_MS: i64 = 1_800_000;

/// Tickets that one call asks about: a script holds up everybody else while it runs.
pub const TICKETS_A_CALL_MAX: usize = 200;

/// Tickets that are read at a time; others come in between two of them.
const TICKETS_A_READ_MAX: usize = 1_000;

/// The tickets, as one instance reaches them. Clones share the connection.
#[derive(Clone)]
pub struct TicketStore {
    connection: ConnectionManager,
    instance: String,
}

/// What every script answers.
type Answer = (String, Vec<String>);

impl TicketStore {
    /// The store at `url`, for one instance. Connects when first needed, and again whenever the connection was lost.
    ///
    /// # Errors
    /// When the address is malformed.
    pub fn new(url: &str, instance: Uuid) -> Result<Self, RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(ANSWER_MAX))
            .set_connection_timeout(Some(ANSWER_MAX))
            .set_number_of_retries(1);
        let connection = ConnectionManager::new_lazy_with_config(redis::Client::open(url)?, config)?;
        Ok(Self { connection, instance: instance.simple().to_string() })
    }

    /// Gives a player a ticket, or finds the one he has; this instance vouches for it.
    pub async fn enter(&self, how: Entering, ticket: &Ticket) -> Result<Entered, TicketError> {
        let how = match how {
            Entering::Join => "join",
            Entering::Follow => "follow",
            Entering::Restore => "restore",
        };
        let script = script(include_str!("scripts/enter.lua"));
        let mut call = script.key(PREFIX);
        call.arg(how)
            .arg(ticket.ticket_id.to_string())
            .arg(ticket.applicant.player_id.to_string())
            .arg(codec::queue_name(&ticket.queue))
            .arg(codec::state_text(ticket.state))
            .arg(codec::encode(ticket))
            .arg(ticket.not_before_ms)
            .arg(codec::exhausted_text(&ticket.exhausted))
            .arg(&self.instance)
            .arg(VOUCHED_MS)
            .arg(TICKET_GRACE_MS);
        let (answer, fields): (String, Vec<Option<String>>) =
            call.invoke_async(&mut self.connection.clone()).await?;
        let fields: Vec<String> = fields.into_iter().map(Option::unwrap_or_default).collect();
        match (answer.as_str(), fields.as_slice()) {
            ("new", _) => Ok(Entered::New),
            ("known", [ticket_id, state, data, not_before, exhausted]) => {
                let mut known = codec::decode(ticket_id, data)?;
                known.state = codec::state(state)?;
                known.not_before_ms = not_before.parse().unwrap_or_default();
                known.exhausted = codec::exhausted(exhausted);
                Ok(Entered::Known(Box::new(known)))
            }
            ("elsewhere", [queue]) => Ok(Entered::Elsewhere(codec::queue(queue)?)),
            ("none", _) => Ok(Entered::None),
            ("ended", [ended]) => Ok(Entered::Ended(codec::ended(ended)?)),
            (other, _) => Err(TicketError::Unreadable(format!("enter answered {other}"))),
        }
    }

    /// Vouches for those of the tickets that have a reader, takes back the word for the others, and answers how each stands.
    /// At most [`TICKETS_A_CALL_MAX`] at a time.
    pub async fn touch(&self, tickets: &[(&Ticket, Reader)]) -> Result<Vec<Touched>, TicketError> {
        if tickets.is_empty() {
            return Ok(Vec::new());
        }
        let script = script(include_str!("scripts/touch.lua"));
        let mut call = script.key(PREFIX);
        call.arg(&self.instance).arg(VOUCHED_MS).arg(TICKET_GRACE_MS);
        for (ticket, reader) in tickets {
            call.arg(ticket.ticket_id.to_string())
                .arg(ticket.applicant.player_id.to_string())
                .arg(codec::queue_name(&ticket.queue))
                .arg(if *reader == Reader::Here { "1" } else { "0" });
        }
        let answers: Vec<Answer> = call.invoke_async(&mut self.connection.clone()).await?;
        answers.iter().map(touched).collect()
    }

    /// Tries to lead a queue.
    pub async fn lead(&self, queue: &QueueKey) -> Result<Led, TicketError> {
        let script = script(include_str!("scripts/lead.lua"));
        let mut call = script.key(PREFIX);
        call.arg(codec::queue_name(queue)).arg(&self.instance).arg(LEASE_MS).arg(TICKET_GRACE_MS);
        let (answer, players): Answer = call.invoke_async(&mut self.connection.clone()).await?;
        match answer.as_str() {
            "leading" => {
                let players = players.iter().map(|player| codec::id(player));
                Ok(Led::Leading(players.collect::<Result<_, _>>()?))
            }
            "following" => Ok(Led::Following),
            _ => Ok(Led::Idle),
        }
    }

    /// Lets somebody else lead a queue at once.
    pub async fn resign(&self, queue: &QueueKey) -> Result<(), TicketError> {
        let script = script(include_str!("scripts/resign.lua"));
        let mut call = script.key(PREFIX);
        call.arg(codec::queue_name(queue)).arg(&self.instance);
        let _: Answer = call.invoke_async(&mut self.connection.clone()).await?;
        Ok(())
    }

    /// The searching tickets of these players.
    pub async fn searching(&self, players: &[Uuid]) -> Result<Vec<Ticket>, TicketError> {
        let mut tickets = Vec::with_capacity(players.len());
        for players in players.chunks(TICKETS_A_READ_MAX) {
            let mut pipeline = redis::pipe();
            for player in players {
                let key = format!("{PREFIX}ticket:{player}");
                pipeline.cmd("HMGET").arg(key).arg(&["id", "state", "data", "not_before", "exhausted"]);
            }
            let rows: Vec<Vec<Option<String>>> = pipeline.query_async(&mut self.connection.clone()).await?;
            for row in rows {
                if let [Some(ticket_id), Some(state), Some(data), not_before, exhausted] = row.as_slice()
                    && state.is_empty()
                {
                    let mut ticket = codec::decode(ticket_id, data)?;
                    ticket.not_before_ms =
                        not_before.as_ref().and_then(|text| text.parse().ok()).unwrap_or_default();
                    ticket.exhausted = exhausted.as_deref().map(codec::exhausted).unwrap_or_default();
                    tickets.push(ticket);
                }
            }
        }
        Ok(tickets)
    }

    /// Claims two tickets for one match, both or none; answers whether it did. Only the queue's leader can.
    pub async fn claim(&self, claim: Claim<'_>) -> Result<bool, TicketError> {
        let script = script(include_str!("scripts/claim.lua"));
        let mut call = script.key(PREFIX);
        call.arg(codec::queue_name(&claim.white.queue))
            .arg(&self.instance)
            .arg(claim.match_id.to_string())
            .arg(WAITS_MAX)
            .arg(WAITS_MEMORY_MS);
        for ticket in [claim.white, claim.black] {
            call.arg(ticket.applicant.player_id.to_string())
                .arg(ticket.ticket_id.to_string())
                .arg(ticket.waited_ms(claim.now_ms));
        }
        call.arg(LEASE_MS);
        let (answer, _): Answer = call.invoke_async(&mut self.connection.clone()).await?;
        Ok(answer == "claimed")
    }

    /// Takes a ticket from one state to another; answers whether it was in the first.
    pub async fn change(&self, to: Move<'_>) -> Result<bool, TicketError> {
        let (not_before, exhausted) = match &to.search {
            Some(search) => (search.not_before_ms.to_string(), codec::exhausted_text(&search.exhausted)),
            None => (String::new(), String::new()),
        };
        let script = script(include_str!("scripts/move.lua"));
        let mut call = script.key(PREFIX);
        call.arg(to.player_id.to_string())
            .arg(codec::queue_name(to.queue))
            .arg(codec::state_text(to.from))
            .arg(codec::state_text(to.to))
            .arg(not_before)
            .arg(exhausted);
        let (answer, _): Answer = call.invoke_async(&mut self.connection.clone()).await?;
        Ok(answer == "moved")
    }

    /// Ends a player's ticket if it is in this state. With [`Unknown::StaysAway`] a ticket that was lost is not restored.
    pub async fn close(
        &self,
        player_id: Uuid,
        state: State,
        ended: Ended,
        unknown: Unknown,
    ) -> Result<Closing, TicketError> {
        let script = script(include_str!("scripts/close.lua"));
        let mut call = script.key(PREFIX);
        call.arg(player_id.to_string())
            .arg(codec::state_text(state))
            .arg(codec::ended_text(ended))
            .arg(ENDED_MEMORY_MS)
            .arg(if unknown == Unknown::StaysAway { "1" } else { "0" });
        let (answer, fields): Answer = call.invoke_async(&mut self.connection.clone()).await?;
        match (answer.as_str(), fields.as_slice()) {
            ("closed", _) => Ok(Closing::Closed),
            ("elsewhere", [state]) => Ok(Closing::In(codec::state(state)?)),
            _ => Ok(Closing::None),
        }
    }

    /// How many followed tickets search in each of these queues.
    pub async fn waiting(&self, queues: &[QueueKey]) -> Result<HashMap<String, u32>, TicketError> {
        let mut waiting = HashMap::new();
        if queues.is_empty() {
            return Ok(waiting);
        }
        let mut connection = self.connection.clone();
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(&mut connection).await?;
        let now_ms = seconds * 1_000 + micros / 1_000;
        let mut pipeline = redis::pipe();
        for queue in queues {
            let key = format!("{PREFIX}queue:{}", codec::queue_name(queue));
            pipeline.cmd("ZCOUNT").arg(key).arg(format!("({now_ms}")).arg("+inf");
        }
        let counts: Vec<u32> = pipeline.query_async(&mut connection).await?;
        for (queue, count) in queues.iter().zip(counts) {
            *waiting.entry(queue.city_id.clone()).or_insert(0) += count;
        }
        Ok(waiting)
    }

    /// How long the tickets of a queue have waited that were paired of late, in milliseconds, the latest first.
    pub async fn recent_waits_ms(&self, queue: &QueueKey, now_ms: i64) -> Result<Vec<i64>, TicketError> {
        let key = format!("{PREFIX}waits:{}", codec::queue_name(queue));
        let entries: Vec<String> = self.connection.clone().lrange(key, 0, -1).await?;
        let entries = entries.iter().filter_map(|entry| {
            let (paired_at, wait) = entry.split_once(':')?;
            Some((paired_at.parse::<i64>().ok()?, wait.parse::<i64>().ok()?))
        });
        let is_recent = |(paired_at_ms, _): &(i64, i64)| *paired_at_ms >= now_ms - WAITS_MEMORY_MS;
        Ok(entries.filter(is_recent).map(|(_, wait_ms)| wait_ms).collect())
    }
}

fn touched(answer: &Answer) -> Result<Touched, TicketError> {
    match (answer.0.as_str(), answer.1.as_slice()) {
        ("here", [state, since, not_before, exhausted]) => Ok(Touched::Here(Standing {
            state: codec::state(state)?,
            since_ms: since.parse().unwrap_or_default(),
            not_before_ms: not_before.parse().unwrap_or_default(),
            exhausted: codec::exhausted(exhausted),
        })),
        ("replaced", _) => Ok(Touched::Replaced),
        ("ended", [ended]) => Ok(Touched::Ended(codec::ended(ended)?)),
        ("lost", _) => Ok(Touched::Lost),
        (other, _) => Err(TicketError::Unreadable(format!("touch answered {other}"))),
    }
}

fn script(body: &'static str) -> Script {
    Script::new(&[include_str!("scripts/prelude.lua"), body].concat())
}
