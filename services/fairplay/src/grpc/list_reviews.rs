//! `ListReviews`: whom a person should look at.

use proto::fairplay::v1::{ListReviewsRequest, ListReviewsResponse};
use service_kit::auth::{self, Role};
use service_kit::status;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, page_size};
use crate::store::reviews::{self, Place};

pub async fn handle(
    service: &Service,
    request: Request<ListReviewsRequest>,
) -> Result<Response<ListReviewsResponse>, Status> {
    let principal = auth::principal(&request)?;
    auth::require_role(&principal, Role::Moderator)?;
    let request = request.get_ref();
    let after = match request.page_token.as_str() {
        "" => Place::START,
        token => parse_token(token)
            .ok_or_else(|| status::invalid_argument([("page_token", "is not one of ours")]))?,
    };
    let size = page_size(request.page_size);
    let page = reviews::list(&service.pool, &after, size).await.map_err(|error| status::from_sqlx(&error))?;
    let is_full = page.len() == size as usize;
    let next_page_token = page.last().filter(|_| is_full).map(|(place, _)| token(place)).unwrap_or_default();
    Ok(Response::new(ListReviewsResponse {
        reviews: page.into_iter().map(|(_, review)| review).collect(),
        next_page_token,
    }))
}

fn token(place: &Place) -> String {
    format!("{}.{}.{}", place.level, place.player_id, place.time_class)
}

fn parse_token(token: &str) -> Option<Place> {
    let mut parts = token.splitn(3, '.');
    Some(Place {
        level: parts.next()?.parse().ok()?,
        player_id: Uuid::parse_str(parts.next()?).ok()?,
        time_class: parts.next()?.to_owned(),
    })
}
