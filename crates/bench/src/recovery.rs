//! P8: many logs, taken up at once.

use std::time::{Duration, Instant};

use event_store::Metadata;
use sqlx::PgPool;
use uuid::Uuid;

use crate::figure::{Figure, Goal};
use crate::stand::{Stand, beginning};

const GAMES: usize = 10_000;
const RECOVERY_S_MAX: f64 = 3.0;
const PATIENCE: Duration = Duration::from_secs(180);

/// Fills the log with live games, each a copy of one that was played through the service, and measures how long a starting
/// service takes until all of them are being run again.
pub async fn measure(stand: &mut Stand) -> anyhow::Result<Figure> {
    let template = template(&stand.pool).await?;
    stand.stop_services();
    fill(&stand.pool, template).await?;
    let begun = Instant::now();
    stand.start_service().await?;
    let ready = begun.elapsed();
    loop {
        let recovered = stand.metric("game_recovered_total").await?;
        if recovered >= GAMES as f64 {
            break;
        }
        anyhow::ensure!(begun.elapsed() < PATIENCE, "only {recovered} games were recovered");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(Figure {
        id: "P8",
        name: format!(
            "recovery of {GAMES} live games of 40 half-moves (ready after {:.2} s)",
            ready.as_secs_f64()
        ),
        value: begun.elapsed().as_secs_f64(),
        unit: "s",
        goal: Goal::AtMost(RECOVERY_S_MAX),
        n: GAMES,
    })
}

/// A game of the closed loop that can be copied.
async fn template(pool: &PgPool) -> anyhow::Result<Uuid> {
    let found = sqlx::query_scalar(
        "select e.stream_id from events e where e.version = 41 and e.type = 'MovePlayed'
         and not exists (select from events o where o.stream_id = e.stream_id and o.version <= 41
                         and o.version > 1 and o.type <> 'MovePlayed') limit 1",
    );
    let template = found.fetch_one(pool).await?;
    // The others would be recovered too, or packed meanwhile.
    sqlx::raw_sql("update games set status = 3, ended_at_ms = 1, packing = 2 where status = 1")
        .execute(pool)
        .await?;
    Ok(template)
}

async fn fill(pool: &PgPool, template: Uuid) -> anyhow::Result<()> {
    let mut transaction = pool.begin().await?;
    let mut ids = Vec::with_capacity(GAMES);
    for _ in 0..GAMES {
        let (facts, started) = beginning(Uuid::now_v7(), Uuid::now_v7());
        let metadata = Metadata::for_request("bench", facts.game_id.0);
        game::store::create(&mut transaction, &facts, &started, metadata).await?;
        ids.push(facts.game_id.0);
    }
    sqlx::query(
        "insert into events (stream_id, version, schema, type, data, metadata)
         select g.id, e.version, e.schema, e.type, e.data, e.metadata
         from events e cross join unnest($1::uuid[]) as g (id)
         where e.stream_id = $2 and e.version between 2 and 41",
    )
    .bind(&ids)
    .bind(template)
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    // As after a start of its own: the planner knows the table.
    sqlx::raw_sql("analyze events; checkpoint").execute(pool).await?;
    Ok(())
}
