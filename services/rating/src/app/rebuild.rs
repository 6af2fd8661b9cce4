//! All ratings once more, from the changes of the log alone.

use std::collections::BTreeMap;

use domain_glicko::{POOLS, Pool};

use super::book::{Change, PoolBook};
use super::ended_game::GameId;
use super::rate_game::Standing;

/// Why the log does not give what it says.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Difference {
    /// A pool's numbers have a gap, or a number comes twice.
    #[error("pool {pool}: number {expected} should come, the next is {found}")]
    Sequence {
        /// The pool.
        pool: &'static str,
        /// What should come.
        expected: u64,
        /// What comes.
        found: u64,
    },
    /// A game's stream does not begin with its rating, has a second one, or takes it back otherwise than it was given.
    #[error("game {}: its stream is not what rating and correcting it gives", .0.0)]
    Stream(GameId),
    /// The recorded numbers of a change are not what the former changes give, to the last bit.
    #[error("game {}: the recorded ratings differ from the recomputed ones", .game.0)]
    Ratings {
        /// The game of the first such change in its pool.
        game: GameId,
    },
}

/// The books of all pools, changed by the recorded changes in the order of their numbers. It holds a standing for each player and
/// pool, however many changes there are.
#[derive(Debug)]
pub struct Replay {
    books: [PoolBook; POOLS.len()],
    changes: u64,
}

impl Default for Replay {
    fn default() -> Self {
        Self { books: POOLS.map(|pool| PoolBook::new(pool, 0)), changes: 0 }
    }
}

impl Replay {
    /// The books, one for each pool.
    #[must_use]
    pub fn books(&self) -> &[PoolBook] {
        &self.books
    }

    /// Changes so far.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Makes a recorded change once more, and compares every number that comes out with the recorded one (`RATING-4`). Answers the
    /// recomputed change, which says more than the record: when each player's last game was.
    ///
    /// # Errors
    /// The difference.
    pub fn apply(&mut self, recorded: &Change) -> Result<Change, Difference> {
        let book = self.book(recorded.pool());
        let expected = book.last_sequence() + 1;
        if recorded.sequence() != expected {
            let (pool, found) = (recorded.pool().id, recorded.sequence());
            return Err(Difference::Sequence { pool, expected, found });
        }
        let recomputed = match recorded {
            Change::Game(rated) => Change::Game(book.rate(rated.game)),
            Change::Correction(made) => Change::Correction(book.correct(made.correction.clone())),
        };
        if !is_same(&recomputed, recorded) {
            return Err(Difference::Ratings { game: recorded.game_id() });
        }
        self.changes += 1;
        Ok(recomputed)
    }

    fn next_of(&self, pool: Pool) -> u64 {
        self.books.iter().find(|book| book.pool() == pool).map_or(1, |book| book.last_sequence() + 1)
    }

    fn book(&mut self, pool: Pool) -> &mut PoolBook {
        self.books.iter_mut().find(|book| book.pool() == pool).expect("there is a book of each pool")
    }
}

/// Changes that were read before their turn. The log is read stream by stream, in the order in which the games began; they were rated
/// in the order in which they ended.
#[derive(Debug, Default)]
pub struct Waiting {
    changes: BTreeMap<(&'static str, u64), Change>,
}

impl Waiting {
    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether none does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Takes a change in and answers it, or nothing, when its turn has not come; those that waited for it follow with
    /// [`Waiting::next`].
    ///
    /// # Errors
    /// When its number has come before.
    pub fn offer(&mut self, change: Change, replay: &Replay) -> Result<Option<Change>, Difference> {
        let (pool, found) = (change.pool(), change.sequence());
        let expected = replay.next_of(pool);
        if found == expected {
            return Ok(Some(change));
        }
        if found < expected || self.changes.insert((pool.id, found), change).is_some() {
            return Err(Difference::Sequence { pool: pool.id, expected, found });
        }
        Ok(None)
    }

    /// The pool's next change, if it waits here.
    pub fn next(&mut self, pool: Pool, replay: &Replay) -> Option<Change> {
        if self.changes.is_empty() {
            return None;
        }
        self.changes.remove(&(pool.id, replay.next_of(pool)))
    }

    /// All of them, in order; none is left.
    pub fn take(&mut self) -> impl Iterator<Item = Change> + use<> {
        std::mem::take(&mut self.changes).into_values()
    }
}

/// Whether two changes have the same numbers, bit for bit. What was played and ruled is the same: it was given.
fn is_same(recomputed: &Change, recorded: &Change) -> bool {
    match (recomputed, recorded) {
        (Change::Game(one), Change::Game(other)) => {
            [(&one.changes.white, &other.changes.white), (&one.changes.black, &other.changes.black)]
                .into_iter()
                .all(|(one, other)| {
                    is_same_standing(&one.before, &other.before)
                        && is_same_standing(&one.after, &other.after)
                        && one.idle_days.to_bits() == other.idle_days.to_bits()
                })
        }
        (Change::Correction(one), Change::Correction(other)) => {
            one.players.len() == other.players.len()
                && one.players.iter().zip(&other.players).all(|(one, other)| {
                    is_same_standing(&one.before, &other.before) && is_same_standing(&one.after, &other.after)
                })
        }
        _ => false,
    }
}

fn is_same_standing(one: &Standing, other: &Standing) -> bool {
    one.rating.bits() == other.rating.bits() && one.games == other.games
}
