//! `ListSignals`: signs of collusion.

use proto::fairplay::v1::{ListSignalsRequest, ListSignalsResponse};
use service_kit::auth::{self, Role};
use service_kit::status;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, page_size};
use crate::store::signals;

pub async fn handle(
    service: &Service,
    request: Request<ListSignalsRequest>,
) -> Result<Response<ListSignalsResponse>, Status> {
    let principal = auth::principal(&request)?;
    auth::require_role(&principal, Role::Moderator)?;
    let request = request.get_ref();
    let before = match request.page_token.as_str() {
        "" => Uuid::max(),
        token => Uuid::parse_str(token)
            .map_err(|_| status::invalid_argument([("page_token", "is not one of ours")]))?,
    };
    let size = page_size(request.page_size);
    let page = signals::list(&service.pool, before, size).await.map_err(|error| status::from_sqlx(&error))?;
    let is_full = page.len() == size as usize;
    let next_page_token =
        page.last().filter(|_| is_full).map(|signal| signal.signal_id.clone()).unwrap_or_default();
    Ok(Response::new(ListSignalsResponse { signals: page, next_page_token }))
}
