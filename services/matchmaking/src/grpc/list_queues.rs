//! `ListQueues`: who waits where, and how wide the windows are.

use domain_pairing::{estimated_wait_ms, window};
use proto::matchmaking::v1::queue_service_server::QueueService;
use proto::matchmaking::v1::{ListQueuesRequest, ListQueuesResponse, QueueStanding, WaitingTicket};
use proto::types::v1::{Player, TimeControl};
use service_kit::auth::{self, Role};
use service_kit::status::{self, RETRY_AFTER};
use tonic::{Request, Response, Status};

use super::Service;
use crate::app::queue::now_ms;
use crate::app::tickets::{Ticket, rounded};
use crate::store::tickets::QueueLook;

#[tonic::async_trait]
impl QueueService for Service {
    async fn list_queues(
        &self,
        request: Request<ListQueuesRequest>,
    ) -> Result<Response<ListQueuesResponse>, Status> {
        let principal = auth::principal(&request)?;
        auth::require_role(&principal, Role::Operator)?;
        let looked_at_ms = now_ms();
        let looks = self.queue.look(looked_at_ms).await.map_err(|error| {
            tracing::warn!(%error, "the tickets cannot be reached");
            status::unavailable("the tickets cannot be reached", RETRY_AFTER)
        })?;
        let queues = looks.into_iter().map(|look| self.standing(look, looked_at_ms)).collect();
        Ok(Response::new(ListQueuesResponse { queues, looked_at_ms }))
    }
}

impl Service {
    fn standing(&self, look: QueueLook, now_ms: i64) -> QueueStanding {
        let QueueLook { queue, waiting, tickets, waits_ms } = look;
        let recently_paired = u32::try_from(waits_ms.len()).unwrap_or(u32::MAX);
        let city = self.cities.find(&queue.city_id);
        let clock = queue.time_control;
        QueueStanding {
            city_name: city.map(|city| city.settings.name.clone()).unwrap_or_default(),
            city_id: queue.city_id,
            time_control: Some(TimeControl { base_ms: clock.base_ms, increment_ms: clock.increment_ms }),
            waiting,
            tickets: tickets.iter().map(|ticket| waiting_ticket(ticket, now_ms)).collect(),
            recent_wait_ms: estimated_wait_ms(&waits_ms),
            recently_paired,
        }
    }
}

fn waiting_ticket(ticket: &Ticket, now_ms: i64) -> WaitingTicket {
    let waited_ms = ticket.waited_ms(now_ms);
    WaitingTicket {
        ticket_id: ticket.ticket_id.to_string(),
        player: Some(Player {
            player_id: ticket.applicant.player_id.to_string(),
            name: ticket.applicant.name.clone(),
        }),
        rating: rounded(ticket.applicant.rating),
        window: window(waited_ms).unsigned_abs(),
        waited_ms,
    }
}
