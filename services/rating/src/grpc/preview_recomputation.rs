//! What ratings would be if a game had never counted.

use domain_glicko::PoolRating;
use proto::rating::v1::{PreviewRecomputationRequest, PreviewRecomputationResponse, RecomputedRating};
use service_kit::fields::Violations;
use service_kit::ids;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use super::{convert, role, status};
use crate::app::ended_game::GameId;
use crate::app::rate_game::Standing;
use crate::app::recomputation::Changed;
use crate::preview::{self, PreviewError};

/// Players that are answered when the client does not say.
const PLAYERS: u32 = 100;
/// Players that are answered at most.
const PLAYERS_MAX: u32 = 1_000;

pub(super) async fn handle(
    pool: &PgPool,
    request: Request<PreviewRecomputationRequest>,
) -> Result<Response<PreviewRecomputationResponse>, Status> {
    role::moderator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let game_id = bad.check("game_id", ids::parse(&request.game_id));
    let players_max = convert::limit("players_max", request.players_max, PLAYERS, PLAYERS_MAX, &mut bad);
    let (Some(game_id), Some(players_max)) = (game_id, players_max) else {
        return Err(bad.into_status());
    };
    let preview = preview::preview(pool, GameId(game_id)).await.map_err(|error| match error {
        PreviewError::NotRated => status::game_not_rated(),
        PreviewError::TooLong { changes } => status::recomputation_too_long(changes),
        PreviewError::Record(error) => status::of_record(error),
        PreviewError::Store(error) => from_sqlx(&error),
    })?;
    let players = preview.changed.iter().take(players_max as usize);
    Ok(Response::new(PreviewRecomputationResponse {
        pool: preview.pool.id.to_owned(),
        players: players.map(|changed| recomputed(preview.pool, changed)).collect(),
        players_changed: preview.changed.len() as u64,
        games_recomputed: preview.games_recomputed,
    }))
}

fn recomputed(pool: domain_glicko::Pool, changed: &Changed) -> RecomputedRating {
    let rating = |rating: PoolRating| {
        let standing = Standing { rating, ..changed.recomputed };
        convert::stored_rating(pool, &standing)
    };
    RecomputedRating {
        player_id: changed.player.0.to_string(),
        stored: Some(rating(changed.stored)),
        recomputed: Some(rating(changed.recomputed.rating)),
    }
}
