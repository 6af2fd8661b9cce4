//! Rating one game, both players in one step.

use domain_glicko::{Pair, Pool, PoolRating, pool_rating};

use super::ended_game::EndedGame;

const DAY_MS: f64 = 86_400_000.0;

/// Where a player stands in a pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The rating after the last change; idle time is not in it.
    pub rating: PoolRating,
    /// Rated games so far; those voided since are counted, too.
    pub games: u32,
    /// When the last of them ended, since the Unix epoch; nothing before the first.
    pub last_game_at_ms: Option<i64>,
}

impl Standing {
    /// Before the first game.
    #[must_use]
    pub const fn fresh(pool: Pool) -> Self {
        Self { rating: PoolRating::fresh(pool), games: 0, last_game_at_ms: None }
    }

    /// Days between the last game and `now_ms`, with their fraction; none before the first game, and none when the clocks
    /// of two games disagree.
    #[must_use]
    pub fn idle_days(&self, now_ms: i64) -> f64 {
        let idle_ms = self.last_game_at_ms.map_or(0, |last| now_ms.saturating_sub(last).max(0));
        idle_ms as f64 / DAY_MS
    }

    /// The rating with the deviation grown until `now_ms`.
    #[must_use]
    pub fn grown(&self, now_ms: i64) -> PoolRating {
        self.rating.after_idle_days(self.idle_days(now_ms))
    }

    /// After a game that ended at `ended_at_ms` and left `rating`.
    #[must_use]
    pub fn after_game(&self, rating: PoolRating, ended_at_ms: i64) -> Self {
        Self {
            rating,
            games: self.games + 1,
            // Games may be reported out of the order in which they ended; idle time counts from the latest.
            last_game_at_ms: self.last_game_at_ms.max(Some(ended_at_ms)),
        }
    }
}

/// What a game did to one player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlayerChange {
    /// As stored at the last change.
    pub before: Standing,
    /// By how many days without a game the deviation grew first.
    pub idle_days: f64,
    /// As it is stored now.
    pub after: Standing,
}

/// A game with what it did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatedGame {
    /// The game.
    pub game: EndedGame,
    /// Its number in the pool, from 1, in the order of computing.
    pub sequence: u64,
    /// Both players' changes.
    pub changes: Pair<PlayerChange>,
}

/// Where both players stand when a game is rated, and the number that it gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Page {
    /// The game's number in the pool.
    pub sequence: u64,
    /// Read when the game is rated, not when it began: two games of a player may run at once.
    pub before: Pair<Standing>,
}

/// The arithmetic: both players from the page, idle time first.
#[must_use]
pub fn rate(game: EndedGame, page: Page) -> RatedGame {
    let ended_at_ms = game.ended_at_ms();
    let grown =
        Pair { white: page.before.white.grown(ended_at_ms), black: page.before.black.grown(ended_at_ms) };
    let after = pool_rating::update_pair(grown, game.white_score());
    RatedGame {
        game,
        sequence: page.sequence,
        changes: Pair {
            white: change(page.before.white, after.white, ended_at_ms),
            black: change(page.before.black, after.black, ended_at_ms),
        },
    }
}

fn change(before: Standing, rating: PoolRating, ended_at_ms: i64) -> PlayerChange {
    PlayerChange {
        before,
        idle_days: before.idle_days(ended_at_ms),
        after: before.after_game(rating, ended_at_ms),
    }
}

#[cfg(test)]
mod tests;
