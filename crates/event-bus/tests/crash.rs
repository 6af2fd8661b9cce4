//! A process that appends, publishes and consumes, and is killed at random moments.

mod support;

use event_bus::{ConsumerConfig, Relay, run_consumer};
use event_store::{GroupCommit, GroupCommitConfig};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{PATIENCE, Recorder, Service, effects, new_stream, public_append};
use test_kit::{Durability, TestDatabase, eventually};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Set for the process that is to be killed: database, broker and service name.
const VICTIM: &str = "STAKEMATE_TEST_VICTIM";
const KILLS: u64 = 200;
const CONSUMER: &str = "wallet_settlement";
/// The longest life of a victim after its first acknowledged event.
const LIFE_MS_MAX: u64 = 60;

// G16, G11, BUS-1, BUS-3: the test's own binary is started again as the victim, which runs this same test's other half.
#[test]
fn every_committed_event_takes_effect_once_however_often_the_process_is_killed() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    match std::env::var(VICTIM) {
        Ok(place) => runtime.block_on(be_the_victim(&place)),
        Err(_) => runtime.block_on(kill_many_times()),
    }
}

async fn kill_many_times() {
    let postgres = test_kit::own_postgres(Durability::Volatile).await;
    let database = postgres.database("g16").await;
    let nats_url = test_kit::nats().await.url();
    let service = Service::on(database, &nats_url).await;
    let place = format!("{} {nats_url} {}", service.database.url, service.name);
    let mut acknowledged = BTreeSet::new();
    for round in 0..KILLS {
        let place = place.clone();
        let life = life_of(round);
        let told = tokio::task::spawn_blocking(move || run_victim(&place, life)).await.expect("no panic");
        acknowledged.extend(told);
    }
    // A survivor cleans up.
    service.start_relay();
    service.start_consumer(victim_config(service.name), Recorder::default());
    service.until_all_is_published().await;
    let committed: Vec<(Uuid, i64)> = sqlx::query_as("select stream_id, version from events")
        .fetch_all(service.pool())
        .await
        .expect("readable");
    let everything_is_handled = || async {
        let effects = effects(service.pool(), CONSUMER).await;
        (effects.len() >= committed.len()).then_some(effects)
    };
    let effects = eventually(PATIENCE, everything_is_handled).await;

    assert!(acknowledged.len() as u64 >= KILLS, "each victim has acknowledged something");
    let committed: BTreeSet<(Uuid, i64)> = committed.into_iter().collect();
    assert!(acknowledged.is_subset(&committed), "acknowledged events are lost");
    let mut count: HashMap<(Uuid, i64), u32> = HashMap::new();
    for effect in &effects {
        *count.entry(*effect).or_default() += 1;
    }
    assert!(count.values().all(|times| *times == 1), "doubled effects");
    assert_eq!(count.len(), committed.len(), "lost effects");
    assert_eq!(service.letters().await, []);
}

/// A spread of moments that is the same in every run; what happens at them is not.
fn life_of(round: u64) -> Duration {
    let mut hasher = DefaultHasher::new();
    round.hash(&mut hasher);
    Duration::from_micros(hasher.finish() % (LIFE_MS_MAX * 1_000))
}

/// Starts a victim, lets it live for a while after its first acknowledgement, kills it and returns what it acknowledged.
fn run_victim(place: &str, life: Duration) -> Vec<(Uuid, i64)> {
    let test = "every_committed_event_takes_effect_once_however_often_the_process_is_killed";
    let mut victim = Command::new(std::env::current_exe().expect("a path"))
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(VICTIM, place)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let output = BufReader::new(victim.stdout.take().expect("piped"));
    let mut lines = output.lines().map_while(Result::ok).filter_map(|line| parse(&line));
    let first = lines.next().expect("a first acknowledgement");
    // The moment of death is the point of the test; nobody waits for anything here.
    std::thread::sleep(life);
    victim.kill().expect("killed");
    victim.wait().expect("gone");
    std::iter::once(first).chain(lines).collect()
}

fn parse(line: &str) -> Option<(Uuid, i64)> {
    let (stream_id, version) = line.strip_prefix("acknowledged ")?.split_once(' ')?;
    Some((stream_id.parse().ok()?, version.parse().ok()?))
}

fn victim_config(service: &'static str) -> ConsumerConfig {
    ConsumerConfig {
        ack_wait: Duration::from_secs(2),
        backoff_min: Duration::from_millis(20),
        backoff_max: Duration::from_secs(1),
        gap_attempts_max: 1_000,
        ..ConsumerConfig::new(CONSUMER, service, "game")
    }
}

/// Appends to new streams for ever, publishes, consumes, and tells what was acknowledged.
async fn be_the_victim(place: &str) {
    let mut parts = place.split(' ').map(str::to_owned);
    let mut part = || parts.next().expect("three parts");
    let (database_url, nats_url, name) = (part(), part(), part().leak());
    let pool = sqlx::PgPool::connect(&database_url).await.expect("a database");
    let database = TestDatabase { pool, url: database_url };
    let service = Service::named(name, database, &nats_url).await;
    let pool = service.pool().clone();
    let shutdown = CancellationToken::new();
    let config = GroupCommitConfig { signal: service.signal.clone(), ..GroupCommitConfig::default() };
    let writers = GroupCommit::start(pool.clone(), config, name, shutdown.clone());
    let (bus, signal) = (service.bus.clone(), service.signal.clone());
    tokio::spawn(Relay::run(pool.clone(), bus.clone(), name, signal.clone(), shutdown.clone()));
    tokio::spawn(run_consumer(pool, bus, victim_config(name), Recorder::default(), signal, shutdown));
    let players = (0..4).map(|_| async {
        loop {
            let stream = new_stream();
            for (expected, kind) in [(0, "GameStarted"), (1, "GameEnded")] {
                writers.append(public_append(stream, expected, &[kind])).await.expect("written");
                let mut stdout = std::io::stdout().lock();
                writeln!(stdout, "acknowledged {} {}", stream.id, expected + 1).expect("told");
                stdout.flush().expect("told");
            }
        }
    });
    futures::future::join_all(players).await;
}
