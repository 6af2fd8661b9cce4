//! `GetCalibration`: what evidence is scored with.

use proto::fairplay::v1::{GetCalibrationRequest, GetCalibrationResponse};
use service_kit::auth;
use tonic::{Request, Response, Status};

use super::Service;
use crate::store::evidence::count;

pub fn handle(
    service: &Service,
    request: &Request<GetCalibrationRequest>,
) -> Result<Response<GetCalibrationResponse>, Status> {
    auth::principal(request)?;
    let calibration = service.calibration.as_ref();
    let basis = &calibration.basis;
    Ok(Response::new(GetCalibrationResponse {
        calibration_id: calibration.id.clone(),
        engine: basis.engine.clone(),
        nodes: basis.nodes,
        human_games: count(basis.human_games),
        human_moves: count(basis.human_moves),
        date: basis.date.clone(),
        file: calibration::file::write(&mut calibration.clone()),
    }))
}
