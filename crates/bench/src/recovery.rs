//! P8 and P16: many logs, and a large log.

use std::time::{Duration, Instant};

use event_store::{Append, Metadata, NewEvent, Publication, StreamId, append_in, load_all};
use sqlx::PgPool;
use uuid::Uuid;

use crate::figure::{Figure, Goal, quantile};
use crate::stand::{Stand, beginning};

const GAMES: usize = 10_000;
const RECOVERY_S_MAX: f64 = 3.0;
const PATIENCE: Duration = Duration::from_secs(180);
/// The same for each size of the log.
const PROBES: usize = 200;
const EVENTS_PER_GAME: usize = 80;
const GROWTH_MAX: f64 = 1.3;

/// Fills the log with live games, each a copy of `template` (a game that was played through the service), and measures
/// how long a starting service takes until all of them are being run again.
pub async fn measure(stand: &mut Stand, template: Uuid) -> anyhow::Result<Figure> {
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
        "insert into events (stream_id, event_id, version, schema, type, data, metadata)
         select g.id, gen_random_uuid(), e.version, e.schema, e.type, e.data, e.metadata
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

/// Append and load of one game with ever more events of others in the log.
pub async fn sizes(pool: &PgPool, sizes: &[usize]) -> anyhow::Result<Vec<Figure>> {
    let mut costs: Vec<(usize, f64, f64)> = Vec::new();
    let mut present = 0;
    for size in sizes {
        grow(pool, size - present).await?;
        present = *size;
        let (append_us, load_us) = probe(pool).await?;
        costs.push((*size, append_us, load_us));
    }
    let first = costs[0];
    let growth = |what: &str, size: usize, cost: f64, first: f64| Figure {
        id: "P16",
        name: format!("{what} of one game with {size} events in the log, against {}", sizes[0]),
        value: cost / first,
        unit: "x",
        goal: Goal::AtMost(GROWTH_MAX),
        n: PROBES,
    };
    Ok(costs[1..]
        .iter()
        .flat_map(|(size, append_us, load_us)| {
            [growth("append", *size, *append_us, first.1), growth("load", *size, *load_us, first.2)]
        })
        .collect())
}

async fn grow(pool: &PgPool, events: usize) -> anyhow::Result<()> {
    sqlx::query(
        "insert into events (stream_id, event_id, version, schema, type, data, metadata)
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7'
                 || substr(md5(random()::text || s), 1, 19))::uuid,
                gen_random_uuid(), v, 1, 'MovePlayed', decode(repeat('ab', 60), 'hex'), decode(repeat('cd', 36), 'hex')
         from (select s, gs from generate_series(1, $1::int) s, lateral (select 0 as gs) x) as streams,
              generate_series(1, $2::int) v",
    )
    .bind(i32::try_from(events / EVENTS_PER_GAME)?)
    .bind(1_i32)
    .execute(pool)
    .await?;
    // The rest of each game behind its first event.
    sqlx::query(
        "insert into events (stream_id, event_id, version, schema, type, data, metadata)
         select e.stream_id, gen_random_uuid(), v, 1, 'MovePlayed', e.data, e.metadata
         from events e, generate_series(2, $1::int) v
         where e.version = 1 and not exists (select from events o where o.stream_id = e.stream_id and o.version = 2)",
    )
    .bind(i32::try_from(EVENTS_PER_GAME)?)
    .execute(pool)
    .await?;
    sqlx::raw_sql("vacuum analyze events").execute(pool).await?;
    Ok(())
}

/// Medians in microseconds; without waiting for the disk, whose time has nothing to do with the size of the log.
async fn probe(pool: &PgPool) -> anyhow::Result<(f64, f64)> {
    let mut conn = pool.acquire().await?;
    sqlx::raw_sql("set synchronous_commit = off").execute(&mut *conn).await?;
    let (mut appends_us, mut loads_us) = (Vec::new(), Vec::new());
    for _ in 0..PROBES {
        let stream = StreamId::new("game", Uuid::now_v7());
        for expected in 0..3 {
            let event = NewEvent {
                event_id: Uuid::now_v7(),
                kind: "MovePlayed",
                schema: 1,
                data: vec![7; 60],
                publication: Publication::Private,
            };
            let metadata = Metadata::for_request("bench", stream.id);
            let append = Append { stream, expected, events: vec![event], metadata };
            let begun = Instant::now();
            append_in(&mut conn, &append).await?;
            appends_us.push(begun.elapsed().as_secs_f64() * 1e6);
        }
    }
    let games: Vec<Uuid> = sqlx::query_scalar("select stream_id from events where version = $1 limit $2")
        .bind(i64::try_from(EVENTS_PER_GAME)?)
        .bind(i64::try_from(PROBES)?)
        .fetch_all(&mut *conn)
        .await?;
    for game in games {
        let begun = Instant::now();
        load_all(&mut conn, game).await?;
        loads_us.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok((quantile(&mut appends_us, 0.5), quantile(&mut loads_us, 0.5)))
}
