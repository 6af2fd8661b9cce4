//! The caller's balances. There is no field for a player: nobody can ask for another's (`WALLET-8`).

use proto::wallet::v1::{GetBalanceRequest, GetBalanceResponse};
use service_kit::auth::principal;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use super::{convert, status};
use crate::store::balances;

pub(super) async fn handle(
    pool: &PgPool,
    request: &Request<GetBalanceRequest>,
) -> Result<Response<GetBalanceResponse>, Status> {
    let caller = principal(request)?.player_id;
    let mut rows = balances::list(pool, caller).await.map_err(|error| from_sqlx(&error))?;
    if rows.is_empty() {
        status::check_account(pool, caller).await?;
        // It may have been opened between the two looks, together with what stands on it.
        rows = balances::list(pool, caller).await.map_err(|error| from_sqlx(&error))?;
    }
    Ok(Response::new(GetBalanceResponse { balances: rows.into_iter().map(convert::balance).collect() }))
}
