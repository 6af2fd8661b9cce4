//! The game service's figures.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain_chess::{Event, archive, pgn_import::Games};
use sqlx::PgPool;
use uuid::Uuid;

use crate::cpu;
use crate::decisions;
use crate::figure::{Figure, Goal, quantile};
use crate::load::{self, Plan, Played};
use crate::raw::{self, SingleRows};
use crate::recovery;
use crate::stand::Stand;
use crate::timers;

/// Moves per CPU second of the peer to beat, as measured on the same kind of machine (numbers.md).
const PEER_PER_CPU_S: f64 = 1_921.0;
const CHANNELS: usize = 4;
const LOG_BYTES_PER_MOVE_MAX: f64 = 220.0;
const PACKED_BYTES_MAX: f64 = 130.0;
const BITS_PER_PLY_MAX: f64 = 6.0;

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Games of the closed loop.
    pub games: usize,
    /// Games of the large closed loop.
    pub games_large: usize,
    /// Rounds of the closed loop, of which the median counts.
    pub rounds: usize,
    /// Games with a second's thought.
    pub games_paced: usize,
    /// Sizes of the log, the smallest first.
    pub log_sizes: Vec<usize>,
    /// A PGN file with games of people, to be packed.
    pub games_file: Option<PathBuf>,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent {
            games: 200,
            games_large: 1_000,
            rounds: 3,
            games_paced: 50,
            log_sizes: vec![10_000, 1_000_000, 10_000_000],
            games_file: None,
        }
    }
}

/// Measures and prints everything.
///
/// # Errors
/// When something that has to work does not: a figure that could not be measured is not printed.
pub async fn run(extent: &Extent) -> anyhow::Result<()> {
    let print = |figures: Vec<Figure>| figures.iter().for_each(Figure::print);
    print(tokio::task::spawn_blocking(decisions::measure).await?);
    print(timers::measure().await?);
    print(packed(extent.games_file.as_deref())?);
    print(vec![raw::fdatasync()?, raw::echo().await?]);
    let mut stand = Stand::start().await?;
    let rows = raw::single_rows(&stand.pool, 64, Duration::ZERO).await?;
    print(vec![single(&rows)]);
    stand.start_service().await?;
    print(closed_loop(&mut stand, extent, &rows).await?);
    print(paced(&mut stand, extent).await?);
    stand.stop_service();
    let copied = template(&stand.pool).await?;
    print(vec![recovery::measure(&mut stand, copied).await?]);
    stand.stop_service();
    stand.empty().await?;
    print(recovery::sizes(&stand.pool, &extent.log_sizes).await?);
    print(tokio::task::spawn_blocking(decisions::perft).await?);
    Ok(())
}

fn single(rows: &SingleRows) -> Figure {
    let name = "commits of one row each, 64 clients".to_owned();
    Figure { id: "raw", name, value: rows.per_second, unit: "rows/s", goal: Goal::None, n: 64 }
}

/// Packed games of people, with their clocks; nothing without a file of them.
fn packed(file: Option<&Path>) -> anyhow::Result<Vec<Figure>> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let (mut bytes, mut bare_bytes, mut plies, mut games) = (0, 0, 0, 0);
    for game in Games::new(BufReader::new(File::open(file)?)) {
        let Ok(game) = game? else { continue };
        bytes += archive::pack(&game.events)?.len();
        bare_bytes += archive::pack(&without_times(&game.events))?.len();
        plies += game.events.iter().filter(|event| matches!(event, Event::MovePlayed(_))).count();
        games += 1;
    }
    let per_ply = |bytes: usize| bytes as f64 / plies.max(1) as f64;
    Ok(vec![
        Figure {
            id: "P9",
            name: "packed game of 80 half-moves with the clocks of its file, mean over the file's games"
                .to_owned(),
            value: per_ply(bytes) * decisions::PLIES as f64,
            unit: "bytes",
            goal: Goal::AtMost(PACKED_BYTES_MAX),
            n: games,
        },
        Figure {
            id: "P9",
            name: "moves of packed games, without times".to_owned(),
            value: per_ply(bare_bytes) * 8.0,
            unit: "bits per half-move",
            goal: Goal::AtMost(BITS_PER_PLY_MAX),
            n: games,
        },
    ])
}

/// The game as if nobody had thought.
fn without_times(events: &[Event]) -> Vec<Event> {
    let mut events = events.to_vec();
    let mut at_ms = 0;
    for event in &mut events {
        match event {
            Event::Started(started) => {
                started.time_control = None;
                at_ms = started.at_ms;
            }
            Event::MovePlayed(played) => {
                (played.elapsed_ms, played.charged_ms, played.clocks) = (0, 0, None);
                played.received_at_ms = at_ms;
            }
            Event::Ended(ended) => (ended.at_ms, ended.clocks) = (at_ms, None),
            _ => {}
        }
    }
    events
}

/// A game of the closed loop that the recovery can copy.
async fn template(pool: &PgPool) -> anyhow::Result<Uuid> {
    let found = sqlx::query_scalar(
        "select e.stream_id from events e where e.version = 41 and e.type = 'MovePlayed'
         and not exists (select from events o where o.stream_id = e.stream_id and o.version <= 41
                         and o.version > 1 and o.type <> 'MovePlayed') limit 1",
    );
    let template = found.fetch_one(pool).await?;
    // The others would be recovered too.
    sqlx::raw_sql("update games set status = 3, ended_at_ms = 1 where status = 1").execute(pool).await?;
    Ok(template)
}

struct Round {
    played: Played,
    service_s: f64,
    postgres_s: f64,
}

impl Round {
    fn cpu_s(&self) -> f64 {
        self.service_s + self.postgres_s
    }

    fn per_s(&self) -> f64 {
        self.played.moves as f64 / self.played.took.as_secs_f64()
    }
}

async fn round(stand: &mut Stand, plan: Plan) -> anyhow::Result<Round> {
    let (service, postgres) = (stand.service_pid()?, stand.postgres_pid()?);
    let channels = stand.channels(CHANNELS)?;
    let mut before = (Duration::ZERO, Duration::ZERO);
    let played = load::play(stand, &channels, plan, || {
        before = (cpu::used_by(service), cpu::used_by(postgres));
    })
    .await?;
    Ok(Round {
        played,
        service_s: (cpu::used_by(service) - before.0).as_secs_f64(),
        postgres_s: (cpu::used_by(postgres) - before.1).as_secs_f64(),
    })
}

async fn closed_loop(stand: &mut Stand, extent: &Extent, rows: &SingleRows) -> anyhow::Result<Vec<Figure>> {
    let plan = Plan { games: extent.games, think: Duration::ZERO, plies: decisions::PLIES };
    // Warm: connections, caches, the planner.
    round(stand, Plan { games: extent.games / 4, ..plan }).await?;
    let before = log_bytes(&stand.pool).await?;
    let mut rounds = Vec::new();
    for _ in 0..extent.rounds {
        rounds.push(round(stand, plan).await?);
    }
    let moves: usize = rounds.iter().map(|round| round.played.moves).sum();
    let written = log_bytes(&stand.pool).await? - before;
    let large = round(stand, Plan { games: extent.games_large, ..plan }).await?;
    let median = |value: &dyn Fn(&Round) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(value).collect();
        quantile(&mut values, 0.5)
    };
    let what = format!("{} games closed loop, straight into the game service", extent.games);
    let figure = |id, name: String, value, unit, goal, n| Figure { id, name, value, unit, goal, n };
    Ok(vec![
        figure(
            "P1",
            format!("moves per CPU second, service + database: {what}"),
            median(&|round| round.played.moves as f64 / round.cpu_s()),
            "moves per CPU second",
            Goal::AtLeast(3.0 * PEER_PER_CPU_S),
            moves,
        ),
        figure(
            "P2",
            format!("moves per second: {what}"),
            median(&Round::per_s),
            "moves/s",
            Goal::None,
            moves,
        ),
        figure(
            "P2",
            format!("{} games closed loop against single-row commits of 64 clients", extent.games_large),
            large.per_s() / rows.per_second,
            "x",
            Goal::AtLeast(1.0),
            large.played.moves,
        ),
        figure(
            "P3",
            format!(
                "CPU per 1,000 moves, service {:.3} + database {:.3}: {what}",
                median(&|round| round.service_s * 1e3 / round.played.moves as f64),
                median(&|round| round.postgres_s * 1e3 / round.played.moves as f64),
            ),
            median(&|round| round.cpu_s() * 1e3 / round.played.moves as f64),
            "CPU s",
            Goal::AtMost(0.17),
            moves,
        ),
        figure(
            "P9",
            "bytes in the live log per move, with its index".to_owned(),
            written / moves as f64,
            "bytes",
            Goal::AtMost(LOG_BYTES_PER_MOVE_MAX),
            moves,
        ),
    ])
}

async fn paced(stand: &mut Stand, extent: &Extent) -> anyhow::Result<Vec<Figure>> {
    let think = Duration::from_secs(1);
    let plan = Plan { games: extent.games_paced, think, plies: decisions::PLIES / 4 };
    let mut round = round(stand, plan).await?;
    // One row a commit, as many a second as there were moves.
    let rows = raw::single_rows(&stand.pool, extent.games_paced, think).await?;
    let times_ms = &mut round.played.acknowledged_ms;
    let (p50, p99) = (quantile(times_ms, 0.5), quantile(times_ms, 0.99));
    let n = times_ms.len();
    let what = format!("{} games with 1 s of thought", extent.games_paced);
    let figure = |name: String, value, unit, goal| Figure { id: "P4", name, value, unit, goal, n };
    Ok(vec![
        figure(
            format!("move to acknowledgement, median {p50:.2} ms, against a one-row commit: {what}"),
            p50 / rows.p50_ms,
            "x",
            Goal::AtMost(1.5),
        ),
        figure(
            format!("the same, 99 of 100: {p99:.2} ms against {:.2} ms", rows.p99_ms),
            p99 / rows.p99_ms,
            "x",
            Goal::AtMost(2.0),
        ),
        Figure {
            id: "P3",
            name: format!("CPU per 1,000 moves, service + database: {what}"),
            value: round.cpu_s() * 1e3 / round.played.moves as f64,
            unit: "CPU s",
            goal: Goal::AtMost(0.45),
            n: round.played.moves,
        },
    ])
}

async fn log_bytes(pool: &PgPool) -> anyhow::Result<f64> {
    let bytes: i64 = sqlx::query_scalar(
        "select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint from pg_inherits
         where inhparent = 'events'::regclass",
    )
    .fetch_one(pool)
    .await?;
    Ok(bytes as f64)
}
