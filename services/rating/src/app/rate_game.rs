//! Rating one game, both players in one step.

use std::future::Future;

use domain_glicko::{Pair, Pool, Rating, after_idle_days, update_pair};

use super::ended_game::{EndedGame, GameId, PlayerId};

const DAY_MS: f64 = 86_400_000.0;

/// Where a player stands in a pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The rating after the last game; idle time is not in it.
    pub rating: Rating,
    /// Rated games so far.
    pub games: u32,
    /// When the last of them ended, since the Unix epoch; nothing before the first.
    pub last_game_at_ms: Option<i64>,
}

impl Standing {
    /// Before the first game.
    pub const FRESH: Self = Self { rating: Rating::FRESH, games: 0, last_game_at_ms: None };

    /// Days between the last game and `now_ms`, with their fraction; none before the first game, and none when the clocks
    /// of two games disagree.
    #[must_use]
    pub fn idle_days(&self, now_ms: i64) -> f64 {
        let idle_ms = self.last_game_at_ms.map_or(0, |last| now_ms.saturating_sub(last).max(0));
        idle_ms as f64 / DAY_MS
    }

    /// The rating with the deviation grown until `now_ms`.
    #[must_use]
    pub fn grown(&self, now_ms: i64) -> Rating {
        after_idle_days(self.rating, self.idle_days(now_ms))
    }
}

/// What a game did to one player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlayerChange {
    /// As stored at the last game.
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

/// A page of the book opened for one game: its number, and where both players stand right now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Page {
    /// The game's number in the pool.
    pub sequence: u64,
    /// Read when the game is rated, not when it began: two games of a player may run at once.
    pub before: Pair<Standing>,
}

/// Where ratings are kept.
pub trait RatingBook {
    /// What can go wrong with keeping.
    type Error;

    /// Whether the game is in the book.
    fn is_rated(&mut self, game: GameId) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Opens a page. Until it is written or given up nobody else can open one for either player in the pool.
    fn open(
        &mut self,
        pool: Pool,
        players: Pair<PlayerId>,
    ) -> impl Future<Output = Result<Page, Self::Error>> + Send;

    /// Writes the page.
    fn record(&mut self, rated: &RatedGame) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// What rating a game came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Both players have their new ratings.
    Rated(Box<RatedGame>),
    /// It had been rated before; nothing changed (`RATING-1`).
    AlreadyRated,
}

/// Rates the game unless it is rated.
///
/// # Errors
/// What the book gives.
pub async fn rate_game<B: RatingBook>(book: &mut B, game: EndedGame) -> Result<Outcome, B::Error> {
    if book.is_rated(game.game_id()).await? {
        return Ok(Outcome::AlreadyRated);
    }
    let page = book.open(game.pool(), game.players()).await?;
    let rated = rate(game, page);
    book.record(&rated).await?;
    Ok(Outcome::Rated(Box::new(rated)))
}

/// The arithmetic: both players from the page, idle time first.
#[must_use]
pub fn rate(game: EndedGame, page: Page) -> RatedGame {
    let ended_at_ms = game.ended_at_ms();
    let grown =
        Pair { white: page.before.white.grown(ended_at_ms), black: page.before.black.grown(ended_at_ms) };
    let after = update_pair(grown, game.white_score());
    RatedGame {
        game,
        sequence: page.sequence,
        changes: Pair {
            white: change(page.before.white, after.white, ended_at_ms),
            black: change(page.before.black, after.black, ended_at_ms),
        },
    }
}

fn change(before: Standing, rating: Rating, ended_at_ms: i64) -> PlayerChange {
    PlayerChange {
        before,
        idle_days: before.idle_days(ended_at_ms),
        after: Standing {
            rating,
            games: before.games + 1,
            // Games may be reported out of the order in which they ended; idle time counts from the latest.
            last_game_at_ms: before.last_game_at_ms.max(Some(ended_at_ms)),
        },
    }
}

#[cfg(test)]
mod tests;
