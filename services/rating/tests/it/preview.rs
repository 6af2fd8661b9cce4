//! What would be if a game had never counted, against a world in which it was not played.

use std::collections::BTreeMap;

use proto::game::v1::GameResult;
use rating::app::ended_game::GameId;
use rating::preview::{PreviewError, preview};
use uuid::Uuid;

use crate::support::{DAY_MS, Game, NOON_MS, database, everything};

#[tokio::test]
async fn a_preview_is_the_world_without_the_game_to_the_bit_and_changes_nothing() {
    // RATING-8
    let (with, without) = (database().await, database().await);
    let players: Vec<Uuid> = (0..7).map(|_| Uuid::now_v7()).collect();
    let results = [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];
    let mut left_out = None;
    for n in 0..40 {
        let game = Game {
            ended_at_ms: NOON_MS + n as i64 * DAY_MS / 2,
            ..Game::new(players[n * 3 % 7], players[(n * 3 + 1 + n % 6) % 7])
        };
        game.end(&with, results[n % 3]).await.expect("rated");
        if n == 12 {
            left_out = Some(game);
        } else {
            game.end(&without, results[n % 3]).await.expect("rated");
        }
    }
    let left_out = left_out.expect("one was left out");
    let stored = everything(&with).await;
    let found = preview(&with, GameId(left_out.game_id)).await.expect("a preview");
    assert_eq!(everything(&with).await, stored);

    let bits = |rows: &[rating::store::ratings::RatingRow]| -> BTreeMap<Uuid, [u64; 3]> {
        rows.iter()
            .map(|row| (row.player_id, [row.rating, row.deviation, row.volatility].map(f64::to_bits)))
            .collect()
    };
    let (now, other) = (bits(&stored.0), bits(&everything(&without).await.0));
    let expected: BTreeMap<Uuid, [u64; 3]> =
        other.into_iter().filter(|(player, bits)| now[player] != *bits).collect();
    let recomputed: BTreeMap<Uuid, [u64; 3]> =
        found.changed.iter().map(|one| (one.player.0, one.recomputed.rating.bits())).collect();
    assert_eq!(recomputed, expected);
    assert!(found.changed.iter().all(|one| one.stored.bits() == now[&one.player.0]));
    assert!(found.games_recomputed > 0 && found.games_recomputed <= 27);
}

#[tokio::test]
async fn there_is_no_preview_of_a_game_that_was_not_rated() {
    let pool = database().await;
    let error = preview(&pool, GameId(Uuid::now_v7())).await.expect_err("not rated");
    assert!(matches!(error, PreviewError::NotRated));
}

#[tokio::test]
async fn only_the_game_itself_is_undone_when_nothing_was_played_since() {
    let pool = database().await;
    let game = Game::new(Uuid::now_v7(), Uuid::now_v7());
    game.end(&pool, GameResult::WhiteWins).await.expect("rated");
    let found = preview(&pool, GameId(game.game_id)).await.expect("a preview");
    assert_eq!((found.changed.len(), found.games_recomputed), (2, 0));
    assert!(found.changed.iter().all(|one| one.recomputed.games == 0));
    assert!(found.changed.iter().all(|one| one.recomputed.rating.raw().rating == 1_500.0));
}
