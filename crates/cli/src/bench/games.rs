//! `stakemate bench games`: real games through the gateway of a stack, each move acknowledged from disk and seen by the opponent,
//! with what the machine itself can do in the same run.

use std::path::Path;
use std::time::{Duration, SystemTime};

use ::bench::figure::{Figure, Goal, quantile};
use ::bench::load::{self, Plan, Played, Seated};
use ::bench::stand::Player;
use ::bench::{cpu, decisions, raw};
use anyhow::{Context as _, ensure};
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::table_service_client::TableServiceClient;
use proto::game::v1::{GetGameRequest, OpenTableRequest, ResignRequest, TableVisibility, TakeSeatRequest};
use proto::types::v1::TimeControl;
use service_kit::auth::{ISSUER, KeyPair, Role, Roles, Signer, Subject};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

use crate::arguments::ServiceName;
use crate::dev::layout::Layout;
use crate::dev::state::{self, DevState};
use crate::dev::{EdgePort, Options, Stack};

/// The folder, below the data folder, of a stack that runs for the measurement only.
const OWN_DATA: &str = "bench";
/// A database beside those of the services, for the raw limits. It is dropped afterwards.
const RAW_DATABASE: &str = "stakemate_bench";
const CHANNELS: usize = 8;
/// The same games each time.
const SEED: u64 = 11;
const TOKEN_LIFETIME: Duration = Duration::from_secs(2 * 3_600);
/// Nobody's flag is to fall.
const CLOCK: TimeControl = TimeControl { base_ms: 3_600_000, increment_ms: 10_000 };

/// What is played.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// So many games at once.
    pub concurrent: usize,
    /// How long a player thinks about each move.
    pub think: Duration,
    /// Half-moves of each game.
    pub plies: usize,
}

/// Plays on the stack that runs on `data`, or on one of its own that it starts and stops.
pub async fn run(data: &Path, extent: Extent) -> anyhow::Result<()> {
    if let Ok(running) = state::find_running(data) {
        return measure(data, &running, extent).await;
    }
    eprintln!("No stack runs on {}; one is started for the measurement.", data.display());
    let own = data.join(OWN_DATA);
    let options = Options {
        data: own.clone(),
        port: EdgePort::Free,
        programs: None,
        variables: Vec::new(),
        game_instances: 1,
    };
    let stack = Stack::start(options).await?;
    let outcome = measure(&own, stack.state(), extent).await;
    stack.stop().await;
    outcome
}

async fn measure(data: &Path, running: &DevState, extent: Extent) -> anyhow::Result<()> {
    let keys = KeyPair::development(&Layout::new(data)?.keys()).context("the stack's keys")?;
    let signer = Signer::from_file(&keys.private, ISSUER)?;
    let edge = Endpoint::from_shared(running.edge_url.clone())?.tcp_nodelay(true);
    let channels: Vec<Channel> = (0..CHANNELS).map(|_| edge.connect_lazy()).collect();
    let plan =
        Plan { games: extent.concurrent, think: extent.think, plies: extent.plies.min(decisions::PLIES) };
    for figure in raw_limits(running, plan).await? {
        figure.print();
    }
    let games = seat_all(&signer, &channels, plan).await?;
    let launcher = running.launcher.pid;
    let mut before = Duration::ZERO;
    let mut played = load::play(games.clone(), &channels, plan, || {
        before = cpu::used_by(launcher);
        Ok(())
    })
    .await?;
    let used = cpu::used_by(launcher).saturating_sub(before);
    for figure in figures(&mut played, used, plan) {
        figure.print();
    }
    end_all(&channels[0], &games).await
}

fn figures(played: &mut Played, used: Duration, plan: Plan) -> Vec<Figure> {
    let n = played.moves;
    let what = format!("{} games through the gateway, {} ms of thought", plan.games, plan.think.as_millis());
    let figure = |id, name: String, value, unit| Figure { id, name, value, unit, goal: Goal::None, n };
    let mut figures = vec![
        figure("P2", format!("moves per second: {what}"), n as f64 / played.took.as_secs_f64(), "moves/s"),
        figure(
            "P3",
            format!("all services and servers of the stack: {what}"),
            used.as_secs_f64() * 1e3 / n.max(1) as f64,
            "CPU s per 1,000 moves",
        ),
    ];
    for (part, name) in [(0.5, "median"), (0.95, "95 of 100"), (0.99, "99 of 100")] {
        let value = quantile(&mut played.acknowledged_ms, part);
        figures.push(figure("P4", format!("move to acknowledgement, {name}: {what}"), value, "ms"));
    }
    figures
}

/// What the disk and the database of the stack can do, before anything is played.
async fn raw_limits(running: &DevState, plan: Plan) -> anyhow::Result<Vec<Figure>> {
    let url = &running.service(ServiceName::Game).database_url;
    let own = crate::dev::services::database_name("game");
    let admin = PgPool::connect(url).await.context("the game service's database")?;
    drop_raw(&admin).await?;
    let create = sqlx::AssertSqlSafe(format!("create database {RAW_DATABASE}"));
    sqlx::raw_sql(create).execute(&admin).await?;
    let raw_url = url.replacen(&format!("/{own}"), &format!("/{RAW_DATABASE}"), 1);
    let connections = u32::try_from(raw::CLIENTS.into_iter().max().unwrap_or(1))?;
    let pool = PgPoolOptions::new().max_connections(connections).connect(&raw_url).await?;
    let measured = measure_raw(running, plan, &pool).await;
    pool.close().await;
    drop_raw(&admin).await?;
    measured
}

async fn measure_raw(running: &DevState, plan: Plan, pool: &PgPool) -> anyhow::Result<Vec<Figure>> {
    let postgres = running.processes.iter().find(|process| process.name == "postgres");
    let (_, mut figures) = raw::database(pool, postgres.context("no database runs")?.pid).await?;
    figures.push(raw::fdatasync()?);
    if !plan.think.is_zero() {
        let clients = plan.games.min(raw::CLIENTS.into_iter().max().unwrap_or(1));
        let rows = raw::single_rows(pool, clients, 2 * plan.think, 4 * plan.think).await?;
        for (value, name) in [(rows.p50_ms, "median"), (rows.p99_ms, "99 of 100")] {
            let name = format!("a commit of one row at the pace of {clients} games, {name}");
            figures.push(Figure { id: "raw", name, value, unit: "ms", goal: Goal::None, n: rows.count });
        }
    }
    Ok(figures)
}

async fn drop_raw(admin: &PgPool) -> anyhow::Result<()> {
    let drop = sqlx::AssertSqlSafe(format!("drop database if exists {RAW_DATABASE} with (force)"));
    sqlx::raw_sql(drop).execute(admin).await?;
    Ok(())
}

/// Opens as many tables, by link and unrated, and sits two players down at each.
async fn seat_all(signer: &Signer, channels: &[Channel], plan: Plan) -> anyhow::Result<Vec<Seated>> {
    let mut games = Vec::with_capacity(plan.games);
    for (line, number) in decisions::games(plan.games, SEED).into_iter().zip(0..) {
        let (host, guest) = (player(signer, "anna")?, player(signer, "boris")?);
        let channel = &channels[number % channels.len()];
        let mut tables = TableServiceClient::new(channel.clone());
        let open = OpenTableRequest {
            request_id: Uuid::new_v4().to_string(),
            rule_set: "fide".to_owned(),
            time_control: Some(CLOCK),
            visibility: TableVisibility::ByLink.into(),
            ..OpenTableRequest::default()
        };
        let opened = tables.open_table(signed(&host, open)?).await?.into_inner();
        let table_id = opened.table.context("no table was opened")?.table_id;
        let take = TakeSeatRequest { request_id: Uuid::new_v4().to_string(), table_id };
        let taken = tables.take_seat(signed(&guest, take)?).await?.into_inner();
        let game_id = taken.table.context("no seat was taken")?.game_id;
        let game = GameServiceClient::new(channel.clone())
            .get_game(GetGameRequest { game_id: game_id.clone() })
            .await?
            .into_inner();
        let white_id = game.game.and_then(|game| game.white).context("nobody has White")?.player_id;
        let (white, black) =
            if white_id == host.player_id.to_string() { (host, guest) } else { (guest, host) };
        games.push(Seated { game_id: game_id.parse()?, white, black, line });
    }
    ensure!(!games.is_empty(), "no games are to be played");
    Ok(games)
}

/// Nobody plays on: White gives up.
async fn end_all(channel: &Channel, games: &[Seated]) -> anyhow::Result<()> {
    let mut client = GameServiceClient::new(channel.clone());
    for seated in games {
        let resign =
            ResignRequest { request_id: Uuid::new_v4().to_string(), game_id: seated.game_id.to_string() };
        client.resign(signed(&seated.white, resign)?).await?;
    }
    Ok(())
}

fn player(signer: &Signer, name: &str) -> anyhow::Result<Player> {
    let player_id = Uuid::now_v7();
    let subject = Subject { player_id, name, roles: Roles::of(&[Role::Player]) };
    let token = signer.sign(&subject, SystemTime::now(), TOKEN_LIFETIME)?;
    Ok(Player { player_id, bearer: format!("Bearer {}", token.text) })
}

fn signed<T>(player: &Player, message: T) -> anyhow::Result<Request<T>> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", player.bearer.parse()?);
    Ok(request)
}
