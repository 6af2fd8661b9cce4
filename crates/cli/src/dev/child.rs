//! One view of all children, so that the supervisor treats a dead Postgres like a dead service.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use test_kit::servers::process::{Launch, Process};
use test_kit::{Nats, Postgres, Redis};

use super::services::ServicePlan;
use test_kit::servers::LaunchError;

/// A little more than a service gives its open calls.
pub const SERVICE_STOP_PATIENCE: Duration = Duration::from_secs(12);

/// A child that can be started again at the same address.
pub trait Child: Send {
    /// For people.
    fn name(&self) -> &str;
    /// The process, unless it was stopped or never started.
    fn process(&mut self) -> Option<&mut Process>;
    /// Starts it; a server is ready when this returns, a service may still be getting ready.
    fn start(&mut self) -> Result<(), LaunchError>;
    /// Stops it in order and in bounded time.
    fn stop(&mut self);
}

/// A service as a child.
#[derive(Debug)]
pub struct Service {
    /// What to run.
    pub plan: ServicePlan,
    environment: Vec<(String, String)>,
    process: Option<Process>,
}

impl Service {
    /// A service that is not started yet.
    #[must_use]
    pub fn new(plan: ServicePlan, environment: Vec<(String, String)>) -> Self {
        Self { plan, environment, process: None }
    }

    /// Asks it to stop, without waiting.
    pub fn ask_to_stop(&mut self) {
        if let Some(process) = &self.process {
            process.id().signal(Signal::SIGTERM);
        }
    }

    /// Waits for a stop that was asked for.
    pub fn wait_stopped(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.wait_or_kill(SERVICE_STOP_PATIENCE);
        }
    }
}

impl Child for Service {
    fn name(&self) -> &str {
        &self.plan.name
    }

    fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    fn start(&mut self) -> Result<(), LaunchError> {
        let mut command = Command::new(&self.plan.program);
        command.envs(self.environment.iter().cloned());
        self.process = Some(Process::start(Launch {
            name: self.plan.name.clone(),
            command,
            log: self.plan.log.clone(),
            signal_at_end: Signal::SIGTERM,
        })?);
        Ok(())
    }

    fn stop(&mut self) {
        self.ask_to_stop();
        self.wait_stopped();
    }
}

impl Child for Postgres {
    fn name(&self) -> &str {
        "postgres"
    }
    fn process(&mut self) -> Option<&mut Process> {
        self.process()
    }
    fn start(&mut self) -> Result<(), LaunchError> {
        self.start()
    }
    fn stop(&mut self) {
        self.stop();
    }
}

impl Child for Nats {
    fn name(&self) -> &str {
        "nats"
    }
    fn process(&mut self) -> Option<&mut Process> {
        self.process()
    }
    fn start(&mut self) -> Result<(), LaunchError> {
        self.start()
    }
    fn stop(&mut self) {
        self.stop();
    }
}

impl Child for Redis {
    fn name(&self) -> &str {
        "redis"
    }
    fn process(&mut self) -> Option<&mut Process> {
        self.process()
    }
    fn start(&mut self) -> Result<(), LaunchError> {
        self.start()
    }
    fn stop(&mut self) {
        self.stop();
    }
}
