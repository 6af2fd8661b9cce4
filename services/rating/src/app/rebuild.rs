//! All ratings once more, from the games alone.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use domain_glicko::{Pair, Pool};
use futures::FutureExt;

use super::ended_game::{GameId, PlayerId};
use super::rate_game::{Outcome, Page, RatedGame, RatingBook, Standing, rate_game};

/// Why the log does not give what it says.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Difference {
    /// A pool's numbers have a gap, or a number comes twice.
    #[error("pool {pool}: number {expected} is missing, the next is {found}")]
    Sequence {
        /// The pool.
        pool: &'static str,
        /// What should come.
        expected: u64,
        /// What comes.
        found: u64,
    },
    /// A game stands in the log twice.
    #[error("game {} was rated twice", .0.0)]
    Twice(GameId),
    /// The recorded numbers of a game are not what its players' former games and its result give, to the last bit.
    #[error("game {}: the recorded ratings differ from the recomputed ones", .game.0)]
    Ratings {
        /// The first such game of its pool.
        game: GameId,
    },
}

/// Ratings in memory: the book of a rebuild.
#[derive(Debug, Default)]
pub struct MemoryBook {
    games: HashSet<GameId>,
    sequences: HashMap<&'static str, u64>,
    standings: HashMap<(PlayerId, &'static str), Standing>,
}

impl MemoryBook {
    /// The number of the last game of each pool that has one.
    pub fn sequences(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.sequences.iter().map(|(pool, sequence)| (*pool, *sequence))
    }

    /// Everybody's standing in every pool in which he has played.
    pub fn standings(&self) -> impl Iterator<Item = (PlayerId, &'static str, Standing)> {
        self.standings.iter().map(|((player, pool), standing)| (*player, *pool, *standing))
    }

    fn standing(&self, player: PlayerId, pool: Pool) -> Standing {
        self.standings.get(&(player, pool.id)).copied().unwrap_or(Standing::FRESH)
    }
}

impl RatingBook for MemoryBook {
    type Error = Infallible;

    async fn is_rated(&mut self, game: GameId) -> Result<bool, Infallible> {
        Ok(self.games.contains(&game))
    }

    async fn open(&mut self, pool: Pool, players: Pair<PlayerId>) -> Result<Page, Infallible> {
        Ok(Page {
            sequence: self.sequences.get(pool.id).copied().unwrap_or(0) + 1,
            before: Pair {
                white: self.standing(players.white, pool),
                black: self.standing(players.black, pool),
            },
        })
    }

    async fn record(&mut self, rated: &RatedGame) -> Result<(), Infallible> {
        let (pool, players) = (rated.game.pool().id, rated.game.players());
        self.games.insert(rated.game.game_id());
        self.sequences.insert(pool, rated.sequence);
        let changes = &rated.changes;
        self.standings.insert((players.white, pool), changes.white.after);
        self.standings.insert((players.black, pool), changes.black.after);
        Ok(())
    }
}

/// Plays the recorded games through an empty book, pool by pool in the order of their numbers, and compares every number
/// that comes out with the recorded one (`RATING-4`).
///
/// # Errors
/// The first difference.
pub fn replay(recorded: &mut [RatedGame]) -> Result<MemoryBook, Difference> {
    recorded.sort_by_key(|rated| (rated.game.pool().id, rated.sequence));
    let mut book = MemoryBook::default();
    for record in recorded.iter() {
        // The book in memory never waits, so the future is ready at once.
        let outcome =
            rate_game(&mut book, record.game).now_or_never().expect("a book in memory does not wait");
        let Ok(outcome) = outcome;
        let Outcome::Rated(recomputed) = outcome else {
            return Err(Difference::Twice(record.game.game_id()));
        };
        if recomputed.sequence != record.sequence {
            return Err(Difference::Sequence {
                pool: record.game.pool().id,
                expected: recomputed.sequence,
                found: record.sequence,
            });
        }
        if bits(&recomputed) != bits(record) {
            return Err(Difference::Ratings { game: record.game.game_id() });
        }
    }
    Ok(book)
}

/// The recorded numbers of a game, bit for bit: `==` on floats would take -0 for 0.
fn bits(rated: &RatedGame) -> [u64; 18] {
    let [a, b, c, d, e, f, g, h, i] = player_bits(rated.changes.white);
    let [j, k, l, m, n, o, p, q, r] = player_bits(rated.changes.black);
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r]
}

fn player_bits(change: super::rate_game::PlayerChange) -> [u64; 9] {
    let (before, after) = (change.before.rating.raw(), change.after.rating.raw());
    [
        before.rating.to_bits(),
        before.deviation.to_bits(),
        before.volatility.to_bits(),
        u64::from(change.before.games),
        after.rating.to_bits(),
        after.deviation.to_bits(),
        after.volatility.to_bits(),
        u64::from(change.after.games),
        change.idle_days.to_bits(),
    ]
}
