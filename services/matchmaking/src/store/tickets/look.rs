//! The queues at a glance, for operators: nothing is changed by it.

use uuid::Uuid;

use super::{PREFIX, TicketError, TicketStore, codec};
use crate::app::tickets::{QueueKey, Ticket};

/// Tickets of one queue that are shown.
const TICKETS_SHOWN_MAX: usize = 50;
/// Searching players of one queue that are read, of whom the longest-waiting are shown.
const PLAYERS_READ_MAX: isize = 500;

/// A queue as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueLook {
    /// Which.
    pub queue: QueueKey,
    /// How many tickets search that somebody follows.
    pub waiting: u32,
    /// The longest-waiting of them.
    pub tickets: Vec<Ticket>,
    /// How long those have waited who were paired of late, in milliseconds.
    pub waits_ms: Vec<i64>,
}

impl TicketStore {
    /// How these queues stand.
    pub async fn look(&self, queues: Vec<QueueKey>, now_ms: i64) -> Result<Vec<QueueLook>, TicketError> {
        if queues.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.connection.clone();
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query_async(&mut connection).await?;
        // The server's own time: that is what the scores go by.
        let followed = format!("({}", seconds * 1_000 + micros / 1_000);
        let (mut counting, mut reading) = (redis::pipe(), redis::pipe());
        for queue in &queues {
            let key = format!("{PREFIX}queue:{}", codec::queue_name(queue));
            counting.cmd("ZCOUNT").arg(&key).arg(&followed).arg("+inf");
            reading.cmd("ZRANGEBYSCORE").arg(&key).arg(&followed).arg("+inf");
            reading.arg("LIMIT").arg(0).arg(PLAYERS_READ_MAX);
        }
        let counts: Vec<u32> = counting.query_async(&mut connection).await?;
        let players: Vec<Vec<String>> = reading.query_async(&mut connection).await?;
        let mut looks = Vec::with_capacity(queues.len());
        for (queue, (waiting, players)) in queues.into_iter().zip(counts.into_iter().zip(players)) {
            let players: Result<Vec<Uuid>, TicketError> =
                players.iter().map(|player| codec::id(player)).collect();
            let tickets = self.longest_waiting(&players?).await?;
            let waits_ms = self.recent_waits_ms(&queue, now_ms).await?;
            looks.push(QueueLook { queue, waiting, tickets, waits_ms });
        }
        Ok(looks)
    }

    async fn longest_waiting(&self, players: &[Uuid]) -> Result<Vec<Ticket>, TicketError> {
        if players.is_empty() {
            return Ok(Vec::new());
        }
        let mut tickets = self.searching(players).await?;
        tickets.sort_by_key(|ticket| (ticket.queued_at_ms, ticket.ticket_id));
        tickets.truncate(TICKETS_SHOWN_MAX);
        Ok(tickets)
    }
}
