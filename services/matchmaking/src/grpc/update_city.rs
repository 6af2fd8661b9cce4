//! `UpdateCity`: other settings for a city.

use proto::matchmaking::v1::{UpdateCityRequest, UpdateCityResponse};
use service_kit::auth::{self, Role};
use service_kit::fields::Violations;
use service_kit::ids;
use tonic::{Request, Response, Status};

use super::{Service, city_settings};
use crate::app::cities::City;
use crate::app::save_city::Save;

pub async fn handle(
    service: &Service,
    request: Request<UpdateCityRequest>,
) -> Result<Response<UpdateCityResponse>, Status> {
    let operator = auth::principal(&request)?;
    auth::require_role(&operator, Role::Operator)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let request_id = bad.check("request_id", ids::parse(&request.request_id));
    let id = bad.check("city_id", city_settings::city_id(&request.city_id));
    let version = bad.check("etag", city_settings::version(&request.etag));
    let reason = bad.check("reason", city_settings::reason(&request.reason));
    let settings = city_settings::parse(&mut bad, request.settings);
    let (true, Some(request_id), Some(id), Some(version), Some(reason), Some(settings)) =
        (bad.is_empty(), request_id, id, version, reason, settings)
    else {
        return Err(bad.into_status());
    };
    let city = City { id, version, time_scale: 1, settings };
    let save = Save { city, request_id, actor: operator.player_id.to_string(), reason };
    let city = city_settings::save(service, save).await?;
    Ok(Response::new(UpdateCityResponse { city: Some(city) }))
}
