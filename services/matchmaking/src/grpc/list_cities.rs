//! `ListCities`: stakes, fees, clocks and how many wait and play.

use std::collections::HashMap;

use proto::matchmaking::v1::ListCitiesResponse;
use service_kit::status;
use tonic::{Response, Status};

use super::{Service, convert};
use crate::store::matches;

pub async fn handle(service: &Service) -> Result<Response<ListCitiesResponse>, Status> {
    let waiting = service.queue.waiting().await;
    let counts = matches::playing(&service.pool).await.map_err(|error| status::from_sqlx(&error))?;
    let playing: HashMap<String, u32> =
        counts.into_iter().map(|(city, games)| (city, u32::try_from(games).unwrap_or(u32::MAX))).collect();
    let cities = service.cities.iter().map(|city| convert::city(city, &waiting, &playing)).collect();
    Ok(Response::new(ListCitiesResponse { cities }))
}
