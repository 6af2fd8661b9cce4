//! A database that does not answer: nothing is acknowledged, nothing is lost.

use tonic::Code;
use tonic_types::StatusExt as _;
use uuid::Uuid;

use crate::harness::Stand;

// GAME-1
#[tokio::test]
async fn a_move_that_cannot_be_written_is_unavailable_and_the_game_goes_on_when_it_can() {
    let stand = Stand::start("locked").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let request_id = Uuid::new_v4();
    // Nobody can write to the log while somebody else holds it.
    let mut holder = stand.pool().begin().await.expect("a transaction");
    sqlx::query("lock table events in exclusive mode").execute(&mut *holder).await.expect("locked");
    let refused = caller.play_as(&table.white, request_id, table.game_id, "g1f3", 2).await;
    let refused = refused.expect_err("nothing can be written");
    assert!(matches!(refused.code(), Code::Unavailable | Code::DeadlineExceeded), "{refused:?}");
    if refused.code() == Code::Unavailable {
        assert!(refused.get_error_details().retry_info().is_some(), "{refused:?}");
    }
    holder.rollback().await.expect("released");
    let played = test_kit::eventually(crate::harness::PATIENCE, || async {
        caller.play_as(&table.white, request_id, table.game_id, "g1f3", 2).await.ok()
    })
    .await;
    assert_eq!(played.sequence, 4);
    assert_eq!(caller.game(table.game_id).await.moves.len(), 3);
}
