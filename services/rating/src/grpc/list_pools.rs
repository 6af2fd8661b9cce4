//! The pools.

use domain_glicko::{POOLS, Pool, PoolRating, System};
use proto::rating::v1 as wire;

pub(super) fn answer() -> wire::ListPoolsResponse {
    wire::ListPoolsResponse { pools: POOLS.into_iter().map(pool).collect() }
}

fn pool(pool: Pool) -> wire::Pool {
    wire::Pool {
        name: pool.id.to_owned(),
        system: match pool.system {
            System::Glicko2 => wire::RatingSystem::Glicko2,
            System::Elo => wire::RatingSystem::Elo,
        } as i32,
        rating_at_start: PoolRating::fresh(pool).raw().rating,
    }
}
