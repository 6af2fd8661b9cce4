//! The other services, answering by themselves: for tests of many matches at once.

use std::collections::HashSet;
use std::sync::Mutex;

use event_bus::Message;
use proto::matchmaking::v1::StakesRequested;
use uuid::Uuid;

use super::World;

/// What the wallet and the game have on their books.
#[derive(Debug, Default)]
pub struct Referee {
    held: Mutex<HashSet<Uuid>>,
    games: Mutex<HashSet<Uuid>>,
}

impl Referee {
    /// Reserves, holds, begins and gives back whatever it is asked for. Ends only with the test.
    pub async fn answer(&self, world: &World) {
        let mut seen: HashSet<Uuid> = HashSet::new();
        loop {
            let is_new = |message: &Message| !seen.contains(&message.event_id);
            let message = world.matchmaking.hear(is_new).await;
            seen.insert(message.event_id);
            let match_id = message.stream_id;
            match message.kind.as_str() {
                "MatchProposed" => world.reserve(match_id).await,
                "StakesRequested" => {
                    self.held.lock().expect("no holder panics").insert(match_id);
                    let asked: StakesRequested =
                        message.decode().expect("the service encodes what it publishes");
                    world.say_held(&asked, 9_500).await;
                }
                "MatchConfirmed" => {
                    self.games.lock().expect("no holder panics").insert(match_id);
                    world.begin(match_id).await;
                }
                "MatchCancelled" => {
                    self.held.lock().expect("no holder panics").remove(&match_id);
                }
                _ => {}
            }
        }
    }

    /// Matches whose stakes are held and those that have a game.
    pub fn books(&self) -> (HashSet<Uuid>, HashSet<Uuid>) {
        let held = self.held.lock().expect("no holder panics").clone();
        (held, self.games.lock().expect("no holder panics").clone())
    }
}
