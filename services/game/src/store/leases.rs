//! The leases of shards on Postgres: `instances` says who is alive, by the database's clock alone, and `fences` whose a shard is.

use std::time::Duration;

use futures::future::BoxFuture;
use sqlx::{PgPool, postgres::PgPoolOptions};
use uuid::Uuid;

use crate::app::{Epoch, Held, Instance, LeaseError, Leases, Live, Roll, SHARDS, ShardId};

const ENROL: &str = include_str!("queries/enrol_instance.sql");
const RENEW: &str = include_str!("queries/renew_instance.sql");
const LIVE: &str = include_str!("queries/live_instances.sql");
const TAKE: &str = include_str!("queries/take_shards.sql");

/// Renewals have connections of their own: however much is written and read, they never wait for one.
const CONNECTIONS: u32 = 2;

/// The leases of shards on Postgres.
#[derive(Clone, Debug)]
pub struct PgLeases {
    pool: PgPool,
}

impl PgLeases {
    /// Connects as `pool` does, but apart from it.
    pub fn beside(pool: &PgPool) -> PgLeases {
        let options = pool.connect_options().as_ref().clone();
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(service_kit::database::ACQUIRE_MAX)
            .connect_lazy_with(options);
        PgLeases { pool }
    }

    async fn seed(&self) -> Result<(), sqlx::Error> {
        let last = i32::try_from(SHARDS).expect("few shards") - 1;
        sqlx::query(
            "insert into fences (fence, epoch) select generate_series(0, $1), 0 on conflict do nothing",
        )
        .bind(last)
        .execute(&self.pool)
        .await
        .map(|_| ())
    }

    async fn roll(&self) -> Result<Roll, sqlx::Error> {
        let live: Vec<(String, Uuid, i64)> = sqlx::query_as(LIVE).fetch_all(&self.pool).await?;
        let held: Vec<(i32, i64, Option<Uuid>)> =
            sqlx::query_as("select fence, epoch, holder from fences").fetch_all(&self.pool).await?;
        let live = live.into_iter().map(|(name, instance_id, left_ms)| Live {
            instance: Instance { name, instance_id },
            left: Duration::from_millis(u64::try_from(left_ms).unwrap_or(0)),
        });
        let held = held.into_iter().filter_map(|(fence, epoch, holder)| {
            Some(Held { shard: ShardId(u8::try_from(fence).ok()?), epoch, holder })
        });
        Ok(Roll { live: live.collect(), held: held.collect() })
    }
}

impl Leases for PgLeases {
    fn enrol<'a>(&'a self, me: &'a Instance, lease: Duration) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            self.seed().await.map_err(unavailable)?;
            let enrolling = sqlx::query(ENROL).bind(&me.name).bind(me.instance_id).bind(millis(lease));
            enrolling.execute(&self.pool).await.map(|_| ()).map_err(unavailable)
        })
    }

    fn renew<'a>(&'a self, me: &'a Instance, lease: Duration) -> BoxFuture<'a, Result<Roll, LeaseError>> {
        Box::pin(async move {
            let renewing = sqlx::query(RENEW).bind(&me.name).bind(me.instance_id).bind(millis(lease));
            if renewing.execute(&self.pool).await.map_err(unavailable)?.rows_affected() == 0 {
                return Err(LeaseError::Superseded(me.name.clone()));
            }
            self.roll().await.map_err(unavailable)
        })
    }

    fn take<'a>(
        &'a self,
        me: &'a Instance,
        shards: &'a [ShardId],
    ) -> BoxFuture<'a, Result<Vec<(ShardId, Epoch)>, LeaseError>> {
        Box::pin(async move {
            let taken: Vec<(i32, i64)> = sqlx::query_as(TAKE)
                .bind(me.instance_id)
                .bind(fences(shards))
                .fetch_all(&self.pool)
                .await
                .map_err(unavailable)?;
            let taken = taken
                .into_iter()
                .filter_map(|(fence, epoch)| Some((ShardId(u8::try_from(fence).ok()?), epoch)));
            Ok(taken.collect())
        })
    }

    fn release<'a>(
        &'a self,
        me: &'a Instance,
        shards: &'a [ShardId],
    ) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            sqlx::query("update fences set holder = null where holder = $1 and fence = any($2)")
                .bind(me.instance_id)
                .bind(fences(shards))
                .execute(&self.pool)
                .await
                .map(|_| ())
                .map_err(unavailable)
        })
    }

    fn leave<'a>(&'a self, me: &'a Instance) -> BoxFuture<'a, Result<(), LeaseError>> {
        // Without its entry an instance is not alive, and what it held is free.
        Box::pin(async move {
            sqlx::query("delete from instances where instance_id = $1")
                .bind(me.instance_id)
                .execute(&self.pool)
                .await
                .map(|_| ())
                .map_err(unavailable)
        })
    }
}

fn fences(shards: &[ShardId]) -> Vec<i32> {
    shards.iter().map(|shard| i32::from(shard.0)).collect()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn unavailable(error: sqlx::Error) -> LeaseError {
    LeaseError::Unavailable(Box::new(error))
}
