//! What each of a player's games, and each correction, did to his rating in a pool.

use domain_glicko::Pool;
use proto::rating::v1::{ListRatingHistoryRequest, ListRatingHistoryResponse};
use service_kit::fields::Violations;
use service_kit::status::from_sqlx;
use service_kit::{ids, paging};
use sqlx::PgPool;
use tonic::{Response, Status};

use super::{convert, status};
use crate::store::history::{self, PageOf};

/// Names the list in its page tokens.
const LIST: &str = "rating_history";

pub(super) async fn handle(
    pool: &PgPool,
    request: ListRatingHistoryRequest,
) -> Result<Response<ListRatingHistoryResponse>, Status> {
    let mut bad = Violations::default();
    let player_id = bad.check("player_id", ids::parse(&request.player_id));
    let page = paging::read::<i64>(LIST, request.page_size, &request.page_token, &mut bad);
    let range = convert::time_range(request.from_ms, request.to_ms, &mut bad);
    let (Some(player_id), Some(page), Some(range)) = (player_id, page, range) else {
        return Err(bad.into_status());
    };
    let Some(rating_pool) = Pool::find(&request.pool) else {
        return Err(status::pool_unknown(&request.pool));
    };
    let of = PageOf {
        player_id,
        pool: rating_pool.id,
        before: page.after.unwrap_or(i64::MAX),
        range,
        limit: i64::from(page.size) + 1,
    };
    let mut rows = history::page(pool, of).await.map_err(|error| from_sqlx(&error))?;
    let next_page_token = paging::cut(LIST, page.size, &mut rows, |row| row.pool_sequence);
    let changes = rows.iter().map(|row| convert::rating_change(rating_pool, row)).collect();
    Ok(Response::new(ListRatingHistoryResponse { changes, next_page_token }))
}
