//! Watches the children, starts again what ends, and stops all in order.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use test_kit::{Nats, Postgres, Redis};

use super::backoff::Backoff;
use super::child::{Child, Service};
use super::layout::Layout;
use super::services::GATEWAY;
use super::state::{DevState, RecordedProcess};

/// How soon an end is seen.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// All children of one stack. Dropping it stops them at once, without order.
#[derive(Debug)]
pub struct Children {
    /// Holds every service's database.
    pub postgres: Postgres,
    /// Carries events.
    pub nats: Nats,
    /// Counts requests at the edge.
    pub redis: Redis,
    /// All instances of the six services, the gateway last.
    pub services: Vec<Service>,
}

impl Children {
    /// All, in the order they are started.
    pub fn all(&mut self) -> impl Iterator<Item = &mut dyn Child> {
        let servers: [&mut dyn Child; 3] = [&mut self.postgres, &mut self.nats, &mut self.redis];
        let services = self.services.iter_mut().map(|s| s as &mut dyn Child);
        servers.into_iter().chain(services)
    }

    /// What `dev.json` says about them.
    pub fn record(&mut self) -> Vec<RecordedProcess> {
        self.all()
            .filter_map(|child| {
                let id = child.process()?.id();
                Some(RecordedProcess::of(child.name(), id))
            })
            .collect()
    }

    /// The gateway first, so that no new call comes in; the other services together; the servers last.
    pub fn stop(&mut self) {
        for is_gateway in [true, false] {
            let group = |service: &&mut Service| (service.plan.service == GATEWAY) == is_gateway;
            for service in self.services.iter_mut().filter(group) {
                service.ask_to_stop();
            }
            for service in self.services.iter_mut().filter(group) {
                service.wait_stopped();
            }
        }
        self.redis.stop();
        self.nats.stop();
        self.postgres.stop();
    }
}

/// Keeps the children running until the sender of `stop` sends or goes away, then stops them.
pub fn run(mut children: Children, mut state: DevState, layout: &Layout, stop: &Receiver<()>) {
    let now = Instant::now();
    let mut restarts: Vec<Restart> = children.all().map(|_| Restart::new(now)).collect();
    while let Err(RecvTimeoutError::Timeout) = stop.recv_timeout(LOOK_INTERVAL) {
        let mut any_started = false;
        for (child, restart) in children.all().zip(&mut restarts) {
            any_started |= look_after(child, restart) == Outcome::Started;
        }
        if any_started {
            state.processes = children.record();
            if let Err(error) = state.write(layout) {
                eprintln!("dev: {error}");
            }
        }
    }
    children.stop();
    // The next start would look for orphans in it; without it, it knows that there are none.
    let _ = std::fs::remove_file(layout.state_file());
}

/// When a child is due to be started again.
struct Restart {
    backoff: Backoff,
    due: Option<Instant>,
}

impl Restart {
    fn new(now: Instant) -> Self {
        Self { backoff: Backoff::started(now), due: None }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Unchanged,
    Started,
}

fn look_after(child: &mut dyn Child, restart: &mut Restart) -> Outcome {
    let now = Instant::now();
    let Some(due) = restart.due else {
        let status = match child.process() {
            Some(process) => process.exit_status(),
            None => return Outcome::Unchanged,
        };
        if let Some(status) = status {
            eprintln!("dev: {} ended ({status}); starting it again", child.name());
            restart.due = Some(restart.backoff.ended(now));
        }
        return Outcome::Unchanged;
    };
    if now < due {
        return Outcome::Unchanged;
    }
    match child.start() {
        Ok(()) => {
            restart.due = None;
            Outcome::Started
        }
        Err(error) => {
            eprintln!("dev: {error}");
            restart.due = Some(restart.backoff.ended(Instant::now()));
            Outcome::Unchanged
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use nix::sys::signal::Signal;
    use test_kit::servers::LaunchError;
    use test_kit::servers::process::{Launch, Process};

    use super::*;

    struct Sleeper {
        log: std::path::PathBuf,
        process: Option<Process>,
    }

    impl Child for Sleeper {
        fn name(&self) -> &str {
            "sleeper"
        }
        fn process(&mut self) -> Option<&mut Process> {
            self.process.as_mut()
        }
        fn start(&mut self) -> Result<(), LaunchError> {
            let mut command = Command::new("sleep");
            command.arg("600");
            self.process = Some(Process::start(Launch {
                name: "sleeper".to_owned(),
                command,
                log: self.log.clone(),
                signal_at_end: Signal::SIGTERM,
            })?);
            Ok(())
        }
        fn stop(&mut self) {
            self.process = None;
        }
    }

    fn look_until_started(child: &mut dyn Child, restart: &mut Restart) {
        let started = Instant::now();
        while look_after(child, restart) == Outcome::Unchanged {
            assert!(started.elapsed() < Duration::from_secs(30), "not started again");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_killed_child_is_started_again_and_a_living_one_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sleeper = Sleeper { log: folder.path().join("log"), process: None };
        sleeper.start().expect("sleep is everywhere");
        let mut restart = Restart::new(Instant::now());
        assert_eq!(look_after(&mut sleeper, &mut restart), Outcome::Unchanged);
        let first = sleeper.process().expect("it runs").id();
        first.signal(Signal::SIGKILL);
        look_until_started(&mut sleeper, &mut restart);
        let second = sleeper.process().expect("it runs").id();
        assert_ne!(first, second);
        assert_eq!(look_after(&mut sleeper, &mut restart), Outcome::Unchanged);
    }
}
