//! A pool's listed players, page by page. A page begins below the last line of the former one, by its rating and player, so that what
//! changes meanwhile neither repeats nor drops anybody who stays where he is.

use domain_glicko::Pool;
use proto::rating::v1::{ListLeaderboardRequest, ListLeaderboardResponse};
use serde::{Deserialize, Serialize};
use service_kit::fields::Violations;
use service_kit::paging;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use tonic::{Response, Status};
use uuid::Uuid;

use super::{convert, now_ms, status};
use crate::store::leaderboard::{self, Board, Mark};

/// Names the list in its page tokens.
const LIST: &str = "leaderboard";

/// Where a page ended: the last line, and its place.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct End {
    /// The rating's bits: a decimal number might not lead back to the same rating.
    rating_bits: u64,
    player_id: Uuid,
    place: u64,
}

pub(super) async fn handle(
    pool: &PgPool,
    request: ListLeaderboardRequest,
) -> Result<Response<ListLeaderboardResponse>, Status> {
    let mut bad = Violations::default();
    let page = paging::read::<End>(LIST, request.page_size, &request.page_token, &mut bad);
    let Some(page) = page else {
        return Err(bad.into_status());
    };
    let Some(rating_pool) = Pool::find(&request.pool) else {
        return Err(status::pool_unknown(&request.pool));
    };
    let board = Board { pool: rating_pool.id, now_ms: now_ms() };
    let mark = page
        .after
        .map_or(Mark::TOP, |end| Mark { rating: f64::from_bits(end.rating_bits), player_id: end.player_id });
    let first_place = page.after.map_or(0, |end| end.place).saturating_add(1);
    let lines = leaderboard::below(pool, board, mark, i64::from(page.size) + 1)
        .await
        .map_err(|error| from_sqlx(&error))?;
    let mut placed: Vec<_> = (first_place..).zip(lines).collect();
    let next_page_token = paging::cut(LIST, page.size, &mut placed, |(place, line)| End {
        rating_bits: line.row.rating.to_bits(),
        player_id: line.row.player_id,
        place: *place,
    });
    let entries = convert::entries(rating_pool, placed, board.now_ms).map_err(|error| from_sqlx(&error))?;
    Ok(Response::new(ListLeaderboardResponse { entries, next_page_token }))
}
