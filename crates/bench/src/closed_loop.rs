//! P1, P2 and P3, and the live log of P9: games in a closed loop, straight and through the gateway, round by round in turn with
//! the peers on the same games.

use std::path::Path;
use std::time::Duration;

use sqlx::PgPool;

use crate::decisions;
use crate::figure::{Figure, Goal, quantile};
use crate::game::Extent;
use crate::load::{self, Plan, Played};
use crate::peer::{self, Peer, Storage};
use crate::raw::SingleRows;
use crate::stand::{GAMES_SEED, PEER_DATABASE, Stand, Used, Way};

const CHANNELS: usize = 4;
const LOG_BYTES_PER_MOVE_MAX: f64 = 220.0;
/// How many connections the peer's server has is tried out, and the best taken.
const PEER_CONNECTIONS: [usize; 3] = [8, 16, 32];
/// Plies of a round that tries something out.
const TRIAL_PLIES: usize = 20;

/// One closed loop of ours.
pub struct Round {
    /// What was played.
    pub played: Played,
    /// What it took.
    pub used: Used,
}

impl Round {
    fn moves(&self) -> f64 {
        self.played.moves as f64
    }

    fn per_s(&self) -> f64 {
        self.moves() / self.played.took.as_secs_f64()
    }

    /// CPU seconds of service and database.
    pub fn core_s(&self) -> f64 {
        self.used.service_s + self.used.database_s
    }

    /// What a thousand moves cost in each part.
    pub fn parts(&self) -> String {
        let per_1000 = |used_s: f64| used_s * 1e3 / self.moves();
        format!(
            "service {:.3} + database {:.3} + gateway, Redis and NATS {:.3}",
            per_1000(self.used.service_s),
            per_1000(self.used.database_s),
            per_1000(self.used.edge_s)
        )
    }

    /// With gateway and broker.
    pub fn all_s(&self) -> f64 {
        self.core_s() + self.used.edge_s
    }
}

/// Plays a plan on new games.
pub async fn round(stand: &mut Stand, way: Way, plan: Plan) -> anyhow::Result<Round> {
    let games = stand.seat(plan).await?;
    let channels = stand.channels(way, CHANNELS)?;
    let mut before = Used::default();
    let played = load::play(games, &channels, plan, || {
        before = stand.used()?;
        Ok(())
    })
    .await?;
    Ok(Round { played, used: stand.used()?.since(before) })
}

/// The peers that are installed.
pub struct Peers {
    /// Moves in a table.
    pub stored: Peer,
    /// Moves in memory.
    pub in_memory: Peer,
    /// How many connections turned out to be best.
    pub connections: usize,
}

impl Peers {
    /// Starts both, the one with a table with the number of connections that gives most moves a CPU second.
    pub async fn start(stand: &mut Stand, folder: &Path, games: usize) -> anyhow::Result<Option<Peers>> {
        if !peer::is_installed(folder) {
            eprintln!("no peer is installed: what compares with it is left out (scripts/bootstrap --bench)");
            return Ok(None);
        }
        let url = stand.postgres.url(PEER_DATABASE);
        let (lines, database_pid) = (trial(games), stand.postgres_pid()?);
        let mut best: Option<(f64, usize)> = None;
        for connections in PEER_CONNECTIONS {
            let storage = Storage::Postgres { url: url.clone(), connections };
            let mut peer = Peer::start(folder, &storage).await?;
            // The first plies of a Node.js process are compiled as they are played.
            peer.round(&lines, Duration::ZERO, database_pid).await?;
            let round = peer.round(&lines, Duration::ZERO, database_pid).await?;
            let per_cpu_s = round.moves / round.cpu_s;
            if best.is_none_or(|(most, _)| per_cpu_s > most) {
                best = Some((per_cpu_s, connections));
            }
        }
        let connections = best.map_or(PEER_CONNECTIONS[0], |(_, connections)| connections);
        let mut stored = Peer::start(folder, &Storage::Postgres { url, connections }).await?;
        let mut in_memory = Peer::start(folder, &Storage::Memory).await?;
        for peer in [&mut stored, &mut in_memory] {
            peer.round(&lines, Duration::ZERO, database_pid).await?;
        }
        Ok(Some(Peers { stored, in_memory, connections }))
    }
}

fn trial(games: usize) -> Vec<Vec<domain_chess::UciMove>> {
    let mut lines = decisions::games(games, GAMES_SEED);
    lines.iter_mut().for_each(|line| line.truncate(TRIAL_PLIES));
    lines
}

#[derive(Default)]
struct Rounds {
    straight: Vec<Round>,
    gateway: Vec<Round>,
    stored: Vec<peer::Round>,
    in_memory: Vec<peer::Round>,
}

/// Measures the closed loops. Both services run.
pub async fn measure(
    stand: &mut Stand,
    extent: &Extent,
    peers: Option<&mut Peers>,
    rows: &SingleRows,
) -> anyhow::Result<Vec<Figure>> {
    let plan = Plan { games: extent.games, think: Duration::ZERO, plies: decisions::PLIES };
    // Warm: connections, caches, the planner.
    for way in [Way::Straight, Way::Gateway] {
        round(stand, way, Plan { plies: TRIAL_PLIES, ..plan }).await?;
    }
    let (rounds, written) = play_rounds(stand, extent, peers, plan).await?;
    let mut large = Vec::new();
    for _ in 0..extent.rounds {
        let plan = Plan { games: extent.games_large, plies: decisions::PLIES / 2, ..plan };
        large.push(round(stand, Way::Straight, plan).await?);
    }
    let large_per_s = median(&large, Round::per_s);
    let mut figures = against_peers(&rounds, extent);
    figures.push(Figure {
        id: "P2",
        name: format!(
            "{} games closed loop straight into the game service, {large_per_s:.0} moves/s, against single-row commits of 64 clients",
            extent.games_large
        ),
        value: large_per_s / rows.per_second,
        unit: "x",
        goal: Goal::AtLeast(1.0),
        n: large.iter().map(|round| round.played.moves).sum(),
    });
    figures.extend(costs(&rounds, extent));
    figures.push(Figure {
        id: "P9",
        name: "bytes in the live log per move, with its index".to_owned(),
        value: written,
        unit: "bytes",
        goal: Goal::AtMost(LOG_BYTES_PER_MOVE_MAX),
        n: rounds.straight.iter().chain(&rounds.gateway).map(|round| round.played.moves).sum(),
    });
    Ok(figures)
}

/// Everything in turn, so that what else the machine does meets all alike; and what a move of ours took in the log.
async fn play_rounds(
    stand: &mut Stand,
    extent: &Extent,
    mut peers: Option<&mut Peers>,
    plan: Plan,
) -> anyhow::Result<(Rounds, f64)> {
    let lines = decisions::games(plan.games, GAMES_SEED);
    let database_pid = stand.postgres_pid()?;
    let before = log_bytes(&stand.pool).await?;
    let (mut rounds, mut moves) = (Rounds::default(), 0);
    for _ in 0..extent.rounds {
        for way in [Way::Straight, Way::Gateway] {
            let round = round(stand, way, plan).await?;
            moves += round.played.moves;
            match way {
                Way::Straight => rounds.straight.push(round),
                Way::Gateway => rounds.gateway.push(round),
            }
        }
        if let Some(peers) = peers.as_deref_mut() {
            rounds.stored.push(peers.stored.round(&lines, plan.think, database_pid).await?);
            rounds.in_memory.push(peers.in_memory.round(&lines, plan.think, database_pid).await?);
        }
    }
    let written = log_bytes(&stand.pool).await? - before;
    Ok((rounds, written / moves.max(1) as f64))
}

fn median<R>(rounds: &[R], value: impl Fn(&R) -> f64) -> f64 {
    quantile(&mut rounds.iter().map(value).collect::<Vec<f64>>(), 0.5)
}

fn per_core_s(round: &Round) -> f64 {
    round.moves() / round.core_s()
}

fn against_peers(rounds: &Rounds, extent: &Extent) -> Vec<Figure> {
    let games = extent.games;
    let n = rounds.straight.iter().map(|round| round.played.moves).sum();
    let figure = |id, name: String, value: f64, unit, goal| Figure { id, name, value, unit, goal, n };
    let (straight, gateway) = (median(&rounds.straight, per_core_s), median(&rounds.gateway, per_core_s));
    let walls = (median(&rounds.straight, Round::per_s), median(&rounds.gateway, Round::per_s));
    let unit = "moves per CPU second";
    let mut figures = vec![
        figure("P1", format!("{games} games straight, service + database"), straight, unit, Goal::None),
        figure(
            "P1",
            format!("{games} games through the gateway, service + database"),
            gateway,
            unit,
            Goal::None,
        ),
        figure("P2", format!("{games} games straight"), walls.0, "moves/s", Goal::None),
        figure("P2", format!("{games} games through the gateway"), walls.1, "moves/s", Goal::None),
    ];
    let peers = [
        ("Colyseus + chessops + Postgres", &rounds.stored),
        ("Colyseus + chessops in memory", &rounds.in_memory),
    ];
    for (name, peer) in peers.into_iter().filter(|(_, peer)| !peer.is_empty()) {
        let has_goal = name.ends_with("Postgres");
        let goal = |least| if has_goal { Goal::AtLeast(least) } else { Goal::None };
        let per_cpu_s = median(peer, |round| round.moves / round.cpu_s);
        let per_s = median(peer, |round| round.moves / round.took_s);
        let against = |what: &str| format!("{what} against {name}");
        figures.extend([
            figure("peer", format!("{name}, {games} games, server + database"), per_cpu_s, unit, Goal::None),
            figure("peer", format!("{name}, {games} games"), per_s, "moves/s", Goal::None),
            figure("P1", against("moves per CPU second, straight,"), straight / per_cpu_s, "x", goal(3.0)),
            figure(
                "P1",
                against("moves per CPU second, through the gateway,"),
                gateway / per_cpu_s,
                "x",
                goal(2.0),
            ),
            figure("P2", against("moves/s, through the gateway,"), walls.1 / per_s, "x", goal(2.0)),
        ]);
    }
    figures
}

fn costs(rounds: &Rounds, extent: &Extent) -> Vec<Figure> {
    let per_1000 =
        |rounds: &[Round], part: fn(&Round) -> f64| median(rounds, |round| part(round) * 1e3 / round.moves());
    let figure = |name: String, value, goal, rounds: &[Round]| Figure {
        id: "P3",
        name,
        value,
        unit: "CPU s per 1,000 moves",
        goal: Goal::AtMost(goal),
        n: rounds.iter().map(|round| round.played.moves).sum(),
    };
    let parts = |rounds: &[Round]| {
        format!(
            "service {:.3} + database {:.3}",
            per_1000(rounds, |round| round.used.service_s),
            per_1000(rounds, |round| round.used.database_s)
        )
    };
    let games = extent.games;
    vec![
        figure(
            format!("{games} games straight: {}", parts(&rounds.straight)),
            per_1000(&rounds.straight, Round::core_s),
            0.17,
            &rounds.straight,
        ),
        figure(
            format!(
                "{games} games through the gateway: {} + gateway, Redis and NATS {:.3}",
                parts(&rounds.gateway),
                per_1000(&rounds.gateway, |round| round.used.edge_s)
            ),
            per_1000(&rounds.gateway, Round::all_s),
            0.26,
            &rounds.gateway,
        ),
    ]
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
