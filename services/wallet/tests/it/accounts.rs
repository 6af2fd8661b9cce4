//! Signing up.

use futures::future::join_all;
use uuid::Uuid;
use wallet::bus::players::PlayerHandler;

use crate::support::{assert_clean, balance, database, deliver, deposit, registered};

#[tokio::test]
async fn whoever_signs_up_finds_play_money_once_however_often_it_is_told() {
    // F12, WALLET-2
    let pool = database().await;
    let (player, other) = (Uuid::now_v7(), Uuid::now_v7());
    let handler = PlayerHandler::new(deposit(1_000_000));
    let message = registered(player);
    let repeats = (0..50).map(|_| deliver(&pool, &handler, &message));
    for answer in join_all(repeats).await {
        answer.expect("every repeat is answered alike");
    }
    deliver(&pool, &handler, &registered(other)).await.expect("the other is independent");
    assert_eq!(balance(&pool, player).await, (1_000_000, 0));
    assert_eq!(balance(&pool, other).await, (1_000_000, 0));
    let report = assert_clean(&pool).await;
    assert_eq!((report.totals.events, report.totals.transfers), (4, 2));
}

#[tokio::test]
async fn without_an_opening_deposit_there_is_an_account_and_no_money() {
    // WALLET-7
    let pool = database().await;
    let player = Uuid::now_v7();
    deliver(&pool, &PlayerHandler::new(None), &registered(player)).await.expect("signed up");
    let known = wallet::store::accounts::all_exist(&pool, &[player]).await;
    assert!(known.expect("the database answers"));
    let balances = wallet::store::balances::list(&pool, player).await;
    assert_eq!(balances.expect("the database answers"), []);
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_handler_that_dies_before_the_commit_leaves_nothing_and_is_done_again() {
    // G11, WALLET-1
    let pool = database().await;
    let player = Uuid::now_v7();
    let handler = PlayerHandler::new(deposit(700));
    let message = registered(player);
    let mut tx = pool.begin().await.expect("the database answers");
    event_bus::Handler::handle(&handler, &mut tx, &message).await.expect("handled");
    drop(tx);
    assert_eq!(balance(&pool, player).await, (0, 0));
    assert_eq!(assert_clean(&pool).await.totals.events, 0);
    deliver(&pool, &handler, &message).await.expect("again");
    assert_eq!(balance(&pool, player).await, (700, 0));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_name_that_is_no_id_is_a_fault_for_a_person() {
    let pool = database().await;
    let mut message = registered(Uuid::now_v7());
    message.data = prost::Message::encode_to_vec(&proto::gateway::v1::PlayerRegistered {
        player_id: "Paul".to_owned(),
        ..Default::default()
    });
    let answer = deliver(&pool, &PlayerHandler::new(None), &message).await;
    assert!(matches!(answer, Err(event_bus::HandleError::Permanent(_))));
    assert_eq!(assert_clean(&pool).await.totals.events, 0);
}

#[tokio::test]
async fn the_database_itself_refuses_a_balance_below_zero() {
    // WALLET-4
    let pool = database().await;
    let player = crate::support::sign_up(&pool, 100).await;
    let overdrawn = sqlx::query("update balances set amount = -1 where owner_id = $1 and kind = 1")
        .bind(player)
        .execute(&pool)
        .await
        .expect_err("refused");
    let check = overdrawn.as_database_error().expect("by the database");
    assert!(check.is_check_violation());
    assert_eq!(balance(&pool, player).await, (100, 0));
}
