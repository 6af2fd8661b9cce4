//! P12: a rating update against the `skillratings` crate, and games a second through the whole service. P14: rebuilding everything
//! from the log. Postgres syncs to disk.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use domain_glicko::{Pair, Rating, RawRating, Score, update_pair};
use event_store::StreamId;
use proto::game::v1::{GameEnded, GameResult, GameStarted};
use proto::types::v1::{Player, TimeControl};
use rating::{Config, RebuildConfig};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};
use sqlx::PgPool;
use test_peer::{Instance, Keys, Peer};
use uuid::Uuid;

use crate::figure::{Figure, Goal, quantile};

const ROUNDS: usize = 5;
const UPDATES: usize = 200_000;
const PLAYERS: usize = 2_000;
const GAMES: usize = 10_000;
/// Games that run side by side.
const WAVE: usize = 1_000;
const REBUILT: usize = 200_000;
const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// Measures and prints.
pub async fn run(rounds: usize) -> anyhow::Result<()> {
    updates();
    let (pool, _nats) = games().await?;
    rebuilds(&pool, rounds).await
}

/// P12, first half: the median of interleaved rounds of both on the same pairs.
fn updates() {
    let raw = |n: usize, k: usize| RawRating {
        rating: 1_200.0 + ((n * 37 + k * 101) % 800) as f64,
        deviation: 50.0 + ((n * 13 + k * 29) % 200) as f64,
        volatility: 0.05 + ((n + k) % 20) as f64 / 1_000.0,
    };
    let ours: Vec<Pair<Rating>> = (0..1_000)
        .map(|n| [0, 1].map(|k| Rating::new(raw(n, k)).expect("inside the bounds")))
        .map(|[white, black]| Pair { white, black })
        .collect();
    let peer = |one: Rating| Glicko2Rating {
        rating: one.rating(),
        deviation: one.deviation(),
        volatility: one.volatility(),
    };
    let theirs: Vec<_> = ours.iter().map(|pair| (peer(pair.white), peer(pair.black))).collect();
    let config = Glicko2Config::new();
    let ratios = (0..ROUNDS).map(|_| {
        let started = Instant::now();
        for n in 0..UPDATES {
            black_box(update_pair(black_box(ours[n % ours.len()]), Score::Win));
        }
        let our_time = started.elapsed();
        let started = Instant::now();
        for n in 0..UPDATES {
            let (white, black) = &theirs[n % theirs.len()];
            black_box(glicko2(black_box(white), black_box(black), &Outcomes::WIN, &config));
        }
        our_time.as_secs_f64() / started.elapsed().as_secs_f64()
    });
    Figure {
        id: "P12",
        name: "glicko-2 update of two players against skillratings".to_owned(),
        value: quantile(&mut ratios.collect::<Vec<f64>>(), 0.5),
        unit: "x",
        goal: Goal::AtMost(2.0),
        n: UPDATES,
    }
    .print();
}

/// P12, second half: from published games to committed ratings, batches, inbox and outbox included.
async fn games() -> anyhow::Result<(PgPool, test_kit::Nats)> {
    let nats = test_kit::own_nats().await;
    let database = test_kit::durable_postgres().await.database("rating_bench").await;
    publish(&nats.url()).await?;
    let common = Keys::new().settings(&database.url, &nats.url());
    let started = Instant::now();
    let instance = Instance::start(async move |shutdown| {
        let started = rating::start(Config { common }, shutdown).await?;
        Ok((started.grpc_address(), started.serve()))
    })
    .await;
    while rated(&database.pool).await < GAMES {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let value = GAMES as f64 / started.elapsed().as_secs_f64();
    let stopped = instance.stop(STOP_PATIENCE).await;
    stopped.map_err(|error| anyhow!("the rating service does not stop: {error}"))?;
    let name = "games rated by the whole service, committed".to_owned();
    Figure { id: "P12", name, value, unit: "games/s", goal: Goal::AtLeast(1_000.0), n: GAMES }.print();
    Ok((database.pool.clone(), nats))
}

/// How many games were rated; none while the service is still making its tables.
async fn rated(pool: &PgPool) -> usize {
    let sequence: Option<i64> = sqlx::query_scalar("select max(last_sequence) from rating_pools")
        .fetch_one(pool)
        .await
        .ok()
        .flatten();
    usize::try_from(sequence.unwrap_or_default()).unwrap_or_default()
}

/// Puts the games on the bus, in waves of games that run side by side.
async fn publish(nats_url: &str) -> anyhow::Result<()> {
    let peer = Peer::start("game", nats_url).await;
    let seat =
        |n: usize| Player { player_id: Uuid::from_u128(1 + n as u128).to_string(), name: format!("p{n}") };
    for wave in 0..GAMES / WAVE {
        let ids: Vec<Uuid> = (0..WAVE).map(|_| Uuid::now_v7()).collect();
        for id in &ids {
            let started = GameStarted { game_id: id.to_string(), ..GameStarted::default() };
            peer.publish(StreamId::new("game", *id), "GameStarted", &started).await;
        }
        for (n, id) in ids.iter().enumerate() {
            let n = wave * WAVE + n;
            let white = n % PLAYERS;
            let ended = GameEnded {
                game_id: id.to_string(),
                white: Some(seat(white)),
                black: Some(seat((white + 1 + n / PLAYERS) % PLAYERS)),
                time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
                result: [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins][n % 3] as i32,
                ended_at_ms: 1_767_268_800_000 + i64::try_from(n)? * 1_000,
                ..GameEnded::default()
            };
            peer.publish(StreamId::new("game", *id), "GameEnded", &ended).await;
        }
    }
    let mut waiting = 1_i64;
    while waiting > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        waiting = sqlx::query_scalar("select count(*) from outbox where published_at is null")
            .fetch_one(peer.pool())
            .await?;
    }
    Ok(())
}

/// P14: the log is filled by the service's own book, its projection emptied.
async fn rebuilds(pool: &PgPool, rounds: usize) -> anyhow::Result<()> {
    rating::bench::fill(pool, REBUILT - GAMES, PLAYERS).await?;
    let mut rates = Vec::new();
    for _ in 0..rounds {
        sqlx::raw_sql("truncate rating_pools, ratings, rating_history, rating_requests")
            .execute(pool)
            .await?;
        let started = Instant::now();
        let report = rating::rebuild(pool, RebuildConfig::default()).await?;
        ensure!(report.changes == REBUILT as u64, "{} of {REBUILT} changes were rebuilt", report.changes);
        rates.push(REBUILT as f64 / started.elapsed().as_secs_f64());
    }
    Figure {
        id: "P14",
        name: "rebuild of all ratings into empty tables".to_owned(),
        value: quantile(&mut rates, 0.5),
        unit: "events/s",
        goal: Goal::AtLeast(50_000.0),
        n: REBUILT,
    }
    .print();
    Ok(())
}
