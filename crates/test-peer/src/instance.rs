//! A service in a runtime of its own, that can be stopped, and can die as a process does.

use std::net::SocketAddr;
use std::time::Duration;

use service_kit::RunError;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};

/// Threads of an instance: enough for a deadlock between two of its tasks to show, few enough for a small machine.
const THREADS: usize = 2;

/// A running service.
#[derive(Debug)]
pub struct Instance {
    /// Where it serves gRPC.
    pub address: SocketAddr,
    shutdown: CancellationToken,
    running: Option<(Runtime, JoinHandle<Result<(), RunError>>)>,
}

impl Instance {
    /// Starts a service: `start` is given the token that will stop it, and answers its address and the rest of its life.
    pub async fn start<Start, Starting, Life>(start: Start) -> Self
    where
        Start: FnOnce(CancellationToken) -> Starting + Send + 'static,
        Starting: Future<Output = Result<(SocketAddr, Life), RunError>>,
        Life: Future<Output = Result<(), RunError>> + Send + 'static,
    {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .enable_all()
            .build()
            .expect("a runtime can be made");
        let shutdown = CancellationToken::new();
        let token = shutdown.clone();
        let starting = tokio::task::spawn_blocking(move || {
            let started = runtime.block_on(start(token));
            let (address, life) =
                started.unwrap_or_else(|error| panic!("the service does not start: {error}"));
            let life = runtime.spawn(life);
            (address, (runtime, life))
        });
        let (address, running) = starting.await.expect("the service starts");
        Self { address, shutdown, running: Some(running) }
    }

    /// A channel to it, that connects with the first call.
    #[must_use]
    pub fn channel(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address)).expect("an address").connect_lazy()
    }

    /// Asks it to stop, and does not wait.
    pub fn ask_to_stop(&self) {
        self.shutdown.cancel();
    }

    /// Stops it as an orchestrator does and answers what it ended with. Fails the test when it takes longer than `time_max`.
    pub async fn stop(mut self, time_max: Duration) -> Result<(), RunError> {
        self.shutdown.cancel();
        let (runtime, life) = self.running.take().expect("only the end of an instance takes it");
        let ended = tokio::time::timeout(time_max, life).await;
        runtime.shutdown_background();
        ended.expect("the service stops in time").expect("the service does not panic")
    }

    /// Ends it as a crash does: no task of it gets another turn.
    pub fn crash(self) {
        drop(self);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((runtime, _)) = self.running.take() {
            // A runtime must not be dropped where that would block.
            runtime.shutdown_background();
        }
    }
}
