//! An engine written in a few lines of shell, to misbehave in one exact way.

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use uci::EngineConfig;

/// What the fake engine knows to play: a legal move for each ply of a fool's mate.
const KNOWN_MOVES: &str = "f2f3 e7e5 g2g4 d8h4";

/// A folder with the engine and what it wrote down.
pub struct FakeEngine {
    folder: TempDir,
}

impl FakeEngine {
    /// An engine that runs `on_go` at each `go`. The script sees the number of its start in `$start`, the number of moves
    /// played in `$ply`, and `answer`, which answers honestly in a fool's mate.
    pub fn new(on_go: &str) -> Self {
        let engine = Self::missing();
        engine.appear(on_go);
        engine
    }

    /// An engine that is not there yet.
    pub fn missing() -> Self {
        Self { folder: TempDir::new().expect("a folder") }
    }

    /// From now on the engine is there.
    pub fn appear(&self, on_go: &str) {
        let script = format!(
            r#"
cd "$(dirname "$0")" || exit 1
echo start >> starts
start=$(wc -l < starts)
ply=0
answer() {{
  set -- {KNOWN_MOVES}
  shift $ply
  echo "info depth 1 multipv 1 score cp 20 nodes 20 pv $1"
  echo "bestmove $1"
}}
while read -r word rest; do
  case "$word" in
    uci) echo "id name Fake 7"; echo uciok;;
    isready) echo readyok;;
    position) case "$rest" in
      *"/8/8/8/8/PPPPPPPP/"*) ply=0;; *"pppppppp/8/8/8/5P2/"*) ply=1;; *"/4p3/8/5P2/"*) ply=2;; *"/4p3/6P1/"*) ply=3;;
    esac;;
    go) echo "$ply" >> searches; {on_go};;
  esac
done
"#
        );
        let draft = self.path("draft");
        std::fs::write(&draft, script).expect("a script");
        std::fs::rename(draft, self.path("engine.sh")).expect("a script");
    }

    pub fn config(&self) -> EngineConfig {
        EngineConfig {
            args: vec![self.path("engine.sh").into()],
            nodes_per_second_min: 1_000_000,
            grace: Duration::from_secs(60),
            restart_delay: Duration::from_millis(1),
            ..EngineConfig::new("sh")
        }
    }

    /// The plies it was asked about, over all its starts.
    pub fn searches(&self) -> Vec<String> {
        let written = std::fs::read_to_string(self.path("searches")).unwrap_or_default();
        written.lines().map(str::to_owned).collect()
    }

    /// A gate: a script that reads from `gate` waits there until the gate is opened.
    pub fn make_gate(&self) {
        let made = std::process::Command::new("mkfifo").arg(self.path("gate")).status();
        assert!(made.expect("mkfifo is part of every system").success());
    }

    /// Lets one script through.
    pub async fn open_gate(&self) {
        let gate = self.path("gate");
        let opened = tokio::task::spawn_blocking(move || std::fs::write(gate, "\n")).await;
        opened.expect("no panic").expect("a gate");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
