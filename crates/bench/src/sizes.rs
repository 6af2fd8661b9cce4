//! P16: what one game costs with ever more events of others in the log.

use std::sync::Arc;
use std::time::Instant;

use domain_chess::Event;
use event_store::{Append, StreamId, append_in, load_all};
use event_store::{CommitSignal, GroupCommit, GroupCommitConfig, Metadata, NewEvent, Publication};
use game::app::{Addition, Cause, Facts, GameId, Journal as _};
use game::store::PgJournal;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::decisions;
use crate::figure::{Figure, Goal, quantile};
use crate::stand::beginning;

/// The same for each size of the log.
const PROBES: usize = 200;
/// Under which every shard is ours.
const EPOCH: i64 = 1;
/// Games that are loaded and replayed.
const GAMES: usize = 50;
const EVENTS_PER_GAME: usize = 80;
const GROWTH_MAX: f64 = 1.3;
/// The quicker quarter: what it costs when nobody else is in the way.
const QUANTILE: f64 = 0.25;

/// In microseconds.
struct Costs {
    size: usize,
    append_us: f64,
    load_us: f64,
    replay_us: f64,
}

/// Measures with logs of these sizes, the smallest first. The log must be empty.
pub async fn measure(pool: &PgPool, sizes: &[usize]) -> anyhow::Result<Vec<Figure>> {
    let stop = CancellationToken::new();
    let signal = CommitSignal::new();
    let config = GroupCommitConfig { signal: signal.clone(), ..GroupCommitConfig::default() };
    let writers = GroupCommit::start(pool.clone(), config, game::store::SERVICE, stop.clone());
    let journal = PgJournal::new(pool.clone(), writers.clone(), signal);
    // A service that ran before has left its own.
    let raise = "insert into fences (fence, epoch) select generate_series(0, $1), $2
        on conflict (fence) do update set epoch = excluded.epoch, holder = null";
    sqlx::query(raise).bind(i32::from(u8::MAX)).bind(EPOCH).execute(pool).await?;
    let games = play(pool, &journal).await?;
    let mut costs = Vec::new();
    let mut present = 0;
    for size in sizes {
        grow(pool, size - present).await?;
        present = *size;
        costs.push(probe(pool, &journal, &games, *size).await?);
    }
    stop.cancel();
    writers.stopped().await;
    let Some((first, others)) = costs.split_first() else { return Ok(Vec::new()) };
    let growth = |what: &str, cost: f64, at_first: f64, size: usize| Figure {
        id: "P16",
        name: format!(
            "{what} of one game, {cost:.0} us with {size} events in the log, against {}",
            first.size
        ),
        value: cost / at_first,
        unit: "x",
        goal: Goal::AtMost(GROWTH_MAX),
        n: PROBES,
    };
    let figures = others.iter().flat_map(|costs| {
        [
            growth("append", costs.append_us, first.append_us, costs.size),
            growth("load", costs.load_us, first.load_us, costs.size),
            growth("load and replay", costs.replay_us, first.replay_us, costs.size),
        ]
    });
    Ok(figures.collect())
}

/// Real games, written as the service writes them.
async fn play(pool: &PgPool, journal: &PgJournal) -> anyhow::Result<Vec<GameId>> {
    let mut games = Vec::with_capacity(GAMES);
    for moves in decisions::games(GAMES, 16) {
        let (facts, started) = beginning(Uuid::now_v7(), Uuid::now_v7());
        let mut transaction = pool.begin().await?;
        let metadata = Metadata::for_request("bench", facts.game_id.0);
        game::store::create(&mut transaction, &facts, &started, metadata).await?;
        transaction.commit().await?;
        let events =
            decisions::log(&moves, 700).into_iter().filter(|event| matches!(event, Event::MovePlayed(_)));
        games.push(facts.game_id);
        let facts: Arc<Facts> = Arc::new(facts);
        let (cause, event_id) = (Cause::Service, Some(Uuid::now_v7()));
        let events = events.collect();
        journal.add(Addition { facts, expected: 1, epoch: EPOCH, cause, event_id, events }).await?;
    }
    Ok(games)
}

/// Games of others, all their events together as in a log whose games are played one after the other.
async fn grow(pool: &PgPool, events: usize) -> anyhow::Result<()> {
    sqlx::query(
        "with streams as materialized (
             select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7'
                     || substr(md5(random()::text || s), 1, 19))::uuid as id
             from generate_series(1, $1::int) s)
         insert into events (stream_id, version, schema, type, data, metadata)
         select id, v, 1, 'MovePlayed', decode(repeat('ab', 36), 'hex'), decode(repeat('cd', 21), 'hex')
         from streams, generate_series(1, $2::int) v",
    )
    .bind(i32::try_from(events / EVENTS_PER_GAME)?)
    .bind(i32::try_from(EVENTS_PER_GAME)?)
    .execute(pool)
    .await?;
    sqlx::raw_sql("vacuum analyze events").execute(pool).await?;
    sqlx::raw_sql("checkpoint").execute(pool).await?;
    Ok(())
}

/// In turn, without waiting for the disk, whose time has nothing to do with the size of the log.
async fn probe(pool: &PgPool, journal: &PgJournal, games: &[GameId], size: usize) -> anyhow::Result<Costs> {
    let mut conn = pool.acquire().await?;
    sqlx::raw_sql("set synchronous_commit = off").execute(&mut *conn).await?;
    let (mut appends_us, mut loads_us, mut replays_us) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..PROBES {
        let stream = StreamId::new("game", Uuid::now_v7());
        for expected in 0..3 {
            let event = NewEvent {
                event_id: None,
                kind: "MovePlayed",
                schema: 1,
                data: vec![7; 36],
                publication: Publication::Private,
            };
            let metadata = Metadata::for_request("bench", stream.id);
            let append = Append { stream, expected, events: vec![event], metadata };
            let begun = Instant::now();
            append_in(&mut conn, &append).await?;
            appends_us.push(begun.elapsed().as_secs_f64() * 1e6);
        }
        let game_id = games[number % games.len()];
        let begun = Instant::now();
        load_all(&mut conn, game_id.0).await?;
        loads_us.push(begun.elapsed().as_secs_f64() * 1e6);
        let begun = Instant::now();
        let record = journal.load(game_id).await?;
        let replayed = record.map(|record| record.replay());
        replays_us.push(begun.elapsed().as_secs_f64() * 1e6);
        anyhow::ensure!(matches!(replayed, Some(Ok(_))), "game {game_id} cannot be replayed");
    }
    Ok(Costs {
        size,
        append_us: quantile(&mut appends_us, QUANTILE),
        load_us: quantile(&mut loads_us, QUANTILE),
        replay_us: quantile(&mut replays_us, QUANTILE),
    })
}
