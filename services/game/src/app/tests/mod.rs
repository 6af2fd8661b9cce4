//! The use cases against a log in memory that can fail in every way a real one does.

mod lag_simulation;
mod memory;
mod owning;
mod requests;
mod watching;
mod watching_elsewhere;

use std::{sync::Arc, time::Duration};

use domain_chess::{RuleSet, Start as Beginning, TimeControl, parse_uci};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::*;
use memory::MemoryJournal;

const NOON_MS: i64 = 1_760_000_000_000;

/// A game of `city` at 3 + 2, a clock to turn, and a log to break.
struct Stand {
    games: Games,
    journal: MemoryJournal,
    clock: ManualClock,
    facts: Arc<Facts>,
    stop: CancellationToken,
}

impl Stand {
    fn new() -> Stand {
        let facts = Arc::new(facts());
        let journal = MemoryJournal::default();
        let start =
            Beginning::new(Arc::new(RuleSet::city()), Some(TimeControl::new(180_000, 2_000)), NOON_MS);
        journal.begin(&facts, start);
        Stand::over(journal, ManualClock::at(NOON_MS), facts)
    }

    /// The service over a log that exists already, as after a restart.
    fn over(journal: MemoryJournal, clock: ManualClock, facts: Arc<Facts>) -> Stand {
        let stop = CancellationToken::new();
        let limits = WatchLimits { watchers_per_game_max: 3 };
        let games = Games::new(Arc::new(journal.clone()), Arc::new(clock.clone()), limits, stop.clone());
        Stand { games, journal, clock, facts, stop }
    }

    /// Ends this service and starts the next over the same log.
    async fn restarted(self) -> Stand {
        self.stop.cancel();
        self.games.stopped().await;
        Stand::over(self.journal, self.clock, self.facts)
    }

    fn act(&self, player: &Seat, request_id: Uuid, action: Action) -> Act {
        Act {
            game_id: self.facts.game_id,
            player_id: player.player_id,
            request_id,
            action,
            received_at_ms: self.games.now_ms(),
        }
    }

    async fn white(&self, action: Action) -> Result<Receipt, ActError> {
        self.games.act(self.act(&self.facts.white, Uuid::new_v4(), action)).await
    }

    async fn black(&self, action: Action) -> Result<Receipt, ActError> {
        self.games.act(self.act(&self.facts.black, Uuid::new_v4(), action)).await
    }

    /// Plays moves in turn from the first ply on, a second each.
    async fn play(&self, moves: &str) {
        for (uci, plies_seen) in moves.split_whitespace().zip(0..) {
            self.clock.advance(1_000);
            let action = play(uci, plies_seen);
            let played =
                if plies_seen % 2 == 0 { self.white(action).await } else { self.black(action).await };
            played.unwrap_or_else(|error| panic!("{uci} at ply {plies_seen} was refused: {error}"));
        }
    }
}

fn facts() -> Facts {
    let seat = |name: &str| Seat { player_id: PlayerId(Uuid::new_v4()), name: name.to_owned() };
    Facts {
        game_id: GameId(Uuid::now_v7()),
        match_id: Some(MatchId(Uuid::now_v7())),
        table_id: None,
        city_id: CityId("lisbon".to_owned()),
        white: seat("Ada"),
        black: seat("Ben"),
        stake: Some(Stake { minor_units: 500, currency: "XPL".to_owned() }),
    }
}

fn play(uci: &str, plies_seen: u32) -> Action {
    Action::PlayMove { uci: parse_uci(uci).expect("a test writes moves well"), plies_seen }
}

/// Looks until something is so; a test that waits for what never comes fails.
async fn until<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looking).await.expect("it comes in time")
}
