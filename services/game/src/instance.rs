//! This process among the other instances: its name, its leases, and what it says and hears.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use event_bus::Bus;
use service_kit::{
    server::{Hold, Readiness},
    tasks::Tasks,
};
use sqlx::PgPool;
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    app::{Games, Instance, Keeper, Notice, Standing, Talk},
    bus,
    config::Config,
    store::PgLeases,
};

/// How many notices wait for the broker. They say the same again and again.
const NOTICES_MAX: usize = 16;

/// This process as an instance. One that serves at the same address of the same machine after it is its successor.
pub fn of(config: &Config, address: SocketAddr) -> Instance {
    let name = if config.instance.is_empty() {
        let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        format!("{}/{address}", machine.trim())
    } else {
        config.instance.clone()
    };
    Instance { name, instance_id: Uuid::new_v4() }
}

/// How the other parts take part in the talk of the instances.
pub struct Channels {
    /// What they say.
    pub say: mpsc::Sender<Notice>,
    /// Counts the tables that other instances have written.
    pub tables: watch::Receiver<u64>,
}

/// What an instance lives by.
pub struct Life<'a> {
    /// Who it is.
    pub me: Instance,
    /// The length of its lease.
    pub lease: Duration,
    /// Its games.
    pub games: &'a Games,
    /// Its database.
    pub pool: &'a PgPool,
    /// Its broker.
    pub bus: &'a Bus,
}

/// Keeps the leases until `stop` is cancelled, and the instance from being ready while it owns nothing.
pub fn spawn(tasks: &mut Tasks, life: Life<'_>, readiness: Readiness, stop: &CancellationToken) -> Channels {
    let (say, said) = mpsc::channel(NOTICES_MAX);
    let (tables, tables_elsewhere) = watch::channel(0);
    let roll_changed = Arc::new(Notify::new());
    let ears = bus::Ears { roll_changed: roll_changed.clone(), tables };
    let client = life.bus.client().clone();
    let talk = Talk { say: say.clone(), roll_changed };
    let instance_id = life.me.instance_id;
    let leases = Arc::new(PgLeases::beside(life.pool));
    let keeper = Keeper::new(leases, life.games.clone(), life.me, life.lease, talk);
    let starting = readiness.hold("recovery of games");
    tasks.spawn("readiness", follow_standing(readiness, starting, keeper.standing(), stop.clone()));
    tasks.spawn("notices", bus::tell_instances(client, instance_id, said, ears));
    tasks.spawn("leases", keeper.keep(stop.clone()));
    Channels { say, tables: tables_elsewhere }
}

async fn follow_standing(
    readiness: Readiness,
    starting: Hold,
    mut standing: watch::Receiver<Standing>,
    stop: CancellationToken,
) {
    let mut hold = Some(starting);
    loop {
        match *standing.borrow_and_update() {
            Standing::Owning => hold = None,
            Standing::Idle if hold.is_none() => hold = Some(readiness.hold("shards")),
            Standing::Idle => {}
        }
        tokio::select! {
            () = stop.cancelled() => return,
            changed = standing.changed() => if changed.is_err() {
                // Whoever keeps the leases is gone, which stops the service.
                stop.cancelled().await;
                return;
            },
        }
    }
}

/// Tells the other instances that a table was written here.
pub async fn tell_of_tables(
    mut written: watch::Receiver<u64>,
    say: mpsc::Sender<Notice>,
    stop: CancellationToken,
) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = written.changed() => if changed.is_err() {
                stop.cancelled().await;
                return;
            },
        }
        // A full queue says the same.
        let _ = say.try_send(Notice::Tables);
    }
}
