//! What the machine itself can do, measured in the same run as what we do with it.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use sqlx::PgPool;
use test_kit::scratch::{self, Medium};
use tonic::transport::Endpoint;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::cpu;
use crate::figure::{Figure, Goal, quantile};

/// How long each of these is measured.
const SPAN: Duration = Duration::from_secs(3);
/// The arguments under which the program is its own bare server.
pub const BARE_SERVER: &str = "bare-server";
const CALLERS: usize = 64;

/// The time that a commit of one row takes, and how many go through.
#[derive(Clone, Copy, Debug)]
pub struct SingleRows {
    /// How many.
    pub count: usize,
    /// Commits a second.
    pub per_second: f64,
    /// Median and 99 of 100, in milliseconds.
    pub p50_ms: f64,
    /// The 99th of 100.
    pub p99_ms: f64,
}

/// The median time of a sync of one written block.
pub fn fdatasync() -> anyhow::Result<Figure> {
    let path = scratch::folder(Medium::Disk, "sync")?.join("file");
    let mut file = File::create(path)?;
    let mut times_us = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < SPAN {
        let one = Instant::now();
        file.write_all(&[7; 512])?;
        file.sync_data()?;
        times_us.push(one.elapsed().as_secs_f64() * 1e6);
    }
    let n = times_us.len();
    let value = quantile(&mut times_us, 0.5);
    Ok(Figure { id: "raw", name: "fdatasync, median".to_owned(), value, unit: "us", goal: Goal::None, n })
}

/// How many clients commit at once where all are as fast as they can be.
pub const CLIENTS: [usize; 3] = [8, 32, 64];
/// Rows of one statement, and clients that send such.
const BATCH_ROWS: usize = 100;
const BATCH_CLIENTS: [usize; 2] = [1, 8];
const ROW_BYTES: usize = 120;

/// The table of the raw limits.
pub async fn make_table(pool: &PgPool) -> anyhow::Result<()> {
    let create = "create table if not exists bench_rows (id bigint generated always as identity primary key, data bytea)";
    sqlx::raw_sql(create).execute(pool).await?;
    Ok(())
}

/// What the database itself can do: commits of one row by few and many clients, and of rows together. With the commits of most
/// clients, to compare with.
pub async fn database(pool: &PgPool, pid: u32) -> anyhow::Result<(SingleRows, Vec<Figure>)> {
    make_table(pool).await?;
    let figure =
        |name: String, value: f64, unit, n| Figure { id: "raw", name, value, unit, goal: Goal::None, n };
    let (mut most, mut figures) = (None, Vec::new());
    for clients in CLIENTS {
        let before = cpu::used_by(pid);
        let rows = single_rows(pool, clients, Duration::ZERO, SPAN).await?;
        let cost_ms = (cpu::used_by(pid) - before).as_secs_f64() * 1e3 / rows.count as f64;
        let name =
            format!("commits of one row each, {clients} clients, {cost_ms:.3} ms of the server's CPU a row");
        figures.push(figure(name, rows.per_second, "rows/s", rows.count));
        most = Some(rows);
    }
    for clients in BATCH_CLIENTS {
        let before = cpu::used_by(pid);
        let (per_second, count) = batches(pool, clients).await?;
        let cost_ms = (cpu::used_by(pid) - before).as_secs_f64() * 1e3 / count as f64;
        let name = format!(
            "commits of {BATCH_ROWS} rows by unnest, {clients} clients, {cost_ms:.3} ms of the server's CPU a row"
        );
        figures.push(figure(name, per_second, "rows/s", count));
    }
    Ok((most.context("no clients")?, figures))
}

async fn batches(pool: &PgPool, clients: usize) -> anyhow::Result<(f64, usize)> {
    let begun = Instant::now();
    let clients = (0..clients).map(|_| async move {
        let mut rows = 0;
        while begun.elapsed() < SPAN {
            sqlx::query("insert into bench_rows (data) select * from unnest($1::bytea[])")
                .bind(vec![vec![7_u8; ROW_BYTES]; BATCH_ROWS])
                .execute(pool)
                .await?;
            rows += BATCH_ROWS;
        }
        Ok::<_, sqlx::Error>(rows)
    });
    let mut clients: FuturesUnordered<_> = clients.collect();
    let mut count = 0;
    while let Some(rows) = clients.next().await {
        count += rows?;
    }
    Ok((count as f64 / begun.elapsed().as_secs_f64(), count))
}

/// Commits of one row each by so many clients at once, paced or as fast as they go. With a pause they begin one after the other
/// within its time, as games do.
pub async fn single_rows(
    pool: &PgPool,
    clients: usize,
    pause: Duration,
    span: Duration,
) -> anyhow::Result<SingleRows> {
    let begun = Instant::now();
    let clients = (0..clients).map(|number| async move {
        tokio::time::sleep(pause.mul_f64(number as f64 / clients as f64)).await;
        let mut times_ms = Vec::new();
        while begun.elapsed() < span {
            let one = Instant::now();
            sqlx::query("insert into bench_rows (data) values ($1)")
                .bind(vec![7_u8; ROW_BYTES])
                .execute(pool)
                .await?;
            times_ms.push(one.elapsed().as_secs_f64() * 1e3);
            tokio::time::sleep(pause).await;
        }
        Ok::<_, sqlx::Error>(times_ms)
    });
    let mut clients: FuturesUnordered<_> = clients.collect();
    let mut times_ms = Vec::new();
    while let Some(times) = clients.next().await {
        times_ms.extend(times?);
    }
    let count = times_ms.len();
    let per_second = count as f64 / begun.elapsed().as_secs_f64();
    Ok(SingleRows {
        count,
        per_second,
        p50_ms: quantile(&mut times_ms, 0.5),
        p99_ms: quantile(&mut times_ms, 0.99),
    })
}

/// Calls of a server that does nothing, for each second of its own processor time.
pub async fn echo() -> anyhow::Result<Figure> {
    let port = crate::stand::free_port()?;
    let mut server = Command::new(std::env::current_exe()?)
        .args([BARE_SERVER, &port.to_string()])
        .stdin(Stdio::null())
        .spawn()
        .context("the bare server does not start")?;
    let channel = Endpoint::from_shared(format!("http://127.0.0.1:{port}"))?.tcp_nodelay(true).connect_lazy();
    let mut health = HealthClient::new(channel);
    while health.check(HealthCheckRequest::default()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (before, begun) = (cpu::used_by(server.id()), Instant::now());
    let callers = (0..CALLERS).map(|_| {
        let mut health = health.clone();
        async move {
            let mut calls = 0_usize;
            while begun.elapsed() < SPAN {
                health.check(HealthCheckRequest::default()).await?;
                calls += 1;
            }
            Ok::<_, tonic::Status>(calls)
        }
    });
    let mut callers: FuturesUnordered<_> = callers.collect();
    let mut calls = 0;
    while let Some(made) = callers.next().await {
        calls += made?;
    }
    let used = cpu::used_by(server.id()) - before;
    server.kill()?;
    server.wait()?;
    let name = "bare tonic unary calls".to_owned();
    let value = calls as f64 / used.as_secs_f64();
    Ok(Figure { id: "raw", name, value, unit: "calls per server CPU second", goal: Goal::None, n: calls })
}

/// A gRPC server with nothing but health, until it is killed.
pub async fn bare_server(port: u16) -> anyhow::Result<()> {
    let (_reporter, health) = tonic_health::server::health_reporter();
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    tonic::transport::Server::builder().tcp_nodelay(true).add_service(health).serve(address).await?;
    Ok(())
}
