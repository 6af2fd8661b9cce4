//! Filling a log for the benchmark P14, with the book that the service itself uses.

use domain_glicko::{Pair, Pool, Score};
use event_store::Metadata;
use sqlx::PgPool;
use uuid::Uuid;

use crate::SERVICE;
use crate::app::ended_game::{EndedGame, GameId, GameParts, PlayerId};
use crate::store::book::{BookError, rate_games};

/// Games of one transaction.
const BATCH_GAMES: usize = 1_000;
/// Any time.
const FIRST_END_MS: i64 = 1_767_268_800_000;

/// Rates `games` games of so many players in 3+2.
///
/// # Errors
/// What the book gives.
pub async fn fill(pool: &PgPool, games: usize, players: usize) -> Result<(), BookError> {
    let rating_pool = Pool::find("3+2").expect("3+2 is a pool");
    let player = |n: usize| PlayerId(Uuid::from_u128(1 + (n % players) as u128));
    for first in (0..games).step_by(BATCH_GAMES) {
        let batch = (first..games.min(first + BATCH_GAMES))
            .map(|n| {
                let game = EndedGame::new(GameParts {
                    game_id: GameId(Uuid::now_v7()),
                    pool: rating_pool,
                    players: Pair { white: player(n), black: player(n + 1 + n / players % (players - 1)) },
                    white_score: [Score::Win, Score::Draw, Score::Loss][n % 3],
                    ended_at_ms: FIRST_END_MS + n as i64 * 1_000,
                })
                .expect("two players");
                (game, Metadata::for_request(SERVICE, Uuid::now_v7()))
            })
            .collect();
        let mut tx = pool.begin().await?;
        rate_games(&mut tx, batch).await?;
        tx.commit().await?;
    }
    Ok(())
}
