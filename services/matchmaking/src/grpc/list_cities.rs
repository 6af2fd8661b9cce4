//! `ListCities`: stakes, fees, clocks and how many wait and play.

use proto::matchmaking::v1::ListCitiesResponse;
use service_kit::status;
use tonic::{Response, Status};

use super::{Service, convert};
use crate::app::queue::now_ms;

pub async fn handle(service: &Service) -> Result<Response<ListCitiesResponse>, Status> {
    let counts = service.counts().await.map_err(|error| status::from_sqlx(&error))?;
    let (all, now_ms) = (service.cities.all(), now_ms());
    let cities = all.iter().map(|city| convert::city(city, &counts, now_ms)).collect();
    Ok(Response::new(ListCitiesResponse { cities }))
}
