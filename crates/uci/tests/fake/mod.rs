//! Engines written in a few lines of shell, to misbehave in one exact way each.

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use uci::{EngineConfig, Search, Start};

/// What an honest engine says about the start position; one line of play.
pub const HONEST: &str =
    r#"echo "info depth 1 multipv 1 score cp 31 nodes 20 pv e2e4"; echo "bestmove e2e4""#;

/// A folder with a fake engine and what it wrote down.
pub struct FakeEngine {
    folder: TempDir,
}

impl FakeEngine {
    /// An engine that runs `on_go` at each `go`. The script sees its start number in `$start`.
    pub fn new(on_go: &str) -> Self {
        Self::with_greeting("echo 'id name Fake 7'; echo uciok", on_go)
    }

    /// An engine that also answers `uci` in its own way.
    pub fn with_greeting(on_uci: &str, on_go: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let script = format!(
            r#"
cd "$(dirname "$0")" || exit 1
echo start >> starts
start=$(wc -l < starts)
[ -p alive ] && exec 3> alive
while read -r word rest; do
  echo "$word $rest" >> commands
  case "$word" in
    uci) {on_uci};;
    isready) echo readyok;;
    go) {on_go};;
  esac
done
"#
        );
        std::fs::write(folder.path().join("engine.sh"), script).expect("a script");
        Self { folder }
    }

    /// Short limits, so that a test of a hanging engine is short too.
    pub fn config(&self) -> EngineConfig {
        EngineConfig {
            args: vec![self.folder.path().join("engine.sh").into()],
            nodes_per_second_min: 1_000_000,
            grace: Duration::from_secs(20),
            restart_delay: Duration::from_millis(1),
            ..EngineConfig::new("sh")
        }
    }

    /// The commands it was sent, in order.
    pub fn commands(&self) -> Vec<String> {
        let written = std::fs::read_to_string(self.folder.path().join("commands"));
        written.unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
    }

    /// How often it was started.
    pub fn starts(&self) -> usize {
        let written = std::fs::read_to_string(self.folder.path().join("starts"));
        written.unwrap_or_default().lines().count()
    }

    /// A pipe that the engine and all it starts keep open: its end is the end of them all.
    pub fn watch_life(&self) -> PathBuf {
        let path = self.folder.path().join("alive");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a named pipe");
        path
    }
}

/// A search of the start position.
pub fn search() -> Search {
    Search { start: Start::Standard, moves: Vec::new(), nodes: 1_000, multi_pv: 1 }
}
