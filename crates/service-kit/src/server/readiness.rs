//! Whether this instance takes calls: a latch that is held while something starts, and drops for good at the stop.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// Ready while nobody holds it and no stop has begun. Clones share the latch.
#[derive(Clone, Debug)]
pub struct Readiness {
    state: Arc<watch::Sender<State>>,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// What is waited for, and how many times.
    held: BTreeMap<&'static str, u32>,
    draining: bool,
}

impl State {
    fn is_ready(&self) -> bool {
        self.held.is_empty() && !self.draining
    }
}

impl Default for Readiness {
    fn default() -> Self {
        Self { state: Arc::new(watch::Sender::new(State::default())) }
    }
}

impl Readiness {
    /// Not ready until the hold is dropped. `what` is shown on the admin port, as `recovery of games`.
    pub fn hold(&self, what: &'static str) -> Hold {
        self.state.send_modify(|state| *state.held.entry(what).or_default() += 1);
        Hold { what, readiness: self.clone() }
    }

    /// Whether calls are welcome.
    pub fn is_ready(&self) -> bool {
        self.state.borrow().is_ready()
    }

    /// What is waited for; `stop` once a stop has begun; empty when ready.
    pub fn waiting_for(&self) -> Vec<&'static str> {
        let state = self.state.borrow();
        state.held.keys().copied().chain(state.draining.then_some("stop")).collect()
    }

    /// Not ready any more, for good.
    pub fn drain(&self) {
        self.state.send_modify(|state| state.draining = true);
    }
}

/// Keeps an instance from being ready.
#[derive(Debug)]
#[must_use = "a hold that is dropped holds nothing"]
pub struct Hold {
    what: &'static str,
    readiness: Readiness,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.readiness.state.send_modify(|state| {
            if let Some(count) = state.held.get_mut(self.what) {
                *count -= 1;
                if *count == 0 {
                    state.held.remove(self.what);
                }
            }
        });
    }
}

/// The name under which the health service always says SERVING: that the process answers at all. A dependency that is down
/// must not show here, or every service would be restarted for it.
pub const LIVENESS: &str = "liveness";
/// The name under which the health service shows the latch; probes of both kinds tell apart what they ask.
pub const READINESS: &str = "readiness";

/// Shows the latch as the health of each service, as [`READINESS`], and of the whole under the empty name.
pub(super) async fn mirror(
    readiness: Readiness,
    reporter: HealthReporter,
    names: Vec<String>,
    stopped: CancellationToken,
) {
    reporter.set_service_status(LIVENESS, ServingStatus::Serving).await;
    let mut changes = readiness.state.subscribe();
    loop {
        let ready = changes.borrow_and_update().is_ready();
        let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
        for name in names.iter().map(String::as_str).chain([READINESS, ""]) {
            reporter.set_service_status(name, status).await;
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = stopped.cancelled() => return,
        }
    }
}
