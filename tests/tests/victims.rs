//! A player is found out: who had lost to him has his stake back, whatever else follows.

use anyhow::{Context as _, ensure};
use cli::arguments::ServiceName;
use cli::dev::players::{MODERATOR, OPERATOR};
use end_to_end::player::Player;
use end_to_end::stack::Stack;
use end_to_end::table::{PATIENCE, Table, request_id};
use proto::fairplay::v1::{CaseDecision, DecideCaseRequest};
use proto::types::v1::Money;
use proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use proto::wallet::v1::{
    AdjustFundRequest, FundSource, ListStatementRequest, ListVictimRefundsRequest, StatementLine,
    TransferKind, VictimRefund, VictimRefundState,
};
use sqlx::PgPool;
use test_kit::eventually;
use uuid::Uuid;

/// Opens a case against a player about a game that was analysed, as his level would: a test's engine searches too little to score.
async fn open_case(fairplay: &PgPool, player_id: Uuid, game_id: Uuid) -> anyhow::Result<Uuid> {
    eventually(PATIENCE, || async {
        let kept: i64 = sqlx::query_scalar("select count(*) from staked_games where game_id = $1")
            .bind(game_id)
            .fetch_one(fairplay)
            .await
            .ok()?;
        (kept == 1).then_some(())
    })
    .await;
    let case_id = Uuid::now_v7();
    let mut tx = fairplay.begin().await?;
    sqlx::query("insert into players (player_id, is_barred) values ($1, true) on conflict (player_id) do update set is_barred = true")
        .bind(player_id)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "insert into side_evidence (player_id, game_id, time_class, ended_at_ms, side) values ($1, $2, 'blitz', 1, '')
         on conflict do nothing",
    )
    .bind(player_id)
    .bind(game_id)
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "insert into cases (case_id, player_id, time_class, opened_at_ms) values ($1, $2, 'blitz', 1)",
    )
    .bind(case_id)
    .bind(player_id)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(case_id)
}

async fn decide(moderator: &Player, case_id: Uuid, decision: CaseDecision) -> anyhow::Result<()> {
    let request = DecideCaseRequest {
        case_id: case_id.to_string(),
        decision: decision.into(),
        reason: "nobody plays like that".to_owned(),
    };
    moderator.reports().decide_case(moderator.request(request)).await?;
    Ok(())
}

async fn refund(operator: &Player, game_id: &str, state: VictimRefundState) -> Option<VictimRefund> {
    let request = ListVictimRefundsRequest { page_size: 100, state: state.into(), ..Default::default() };
    let mut admin = WalletAdminServiceClient::new(operator.channel());
    let listed = admin.list_victim_refunds(operator.request(request)).await.ok()?.into_inner().refunds;
    listed.into_iter().find(|refund| {
        refund.game_id == game_id && (refund.note.is_empty() != (state == VictimRefundState::Owed))
    })
}

async fn last_line(player: &Player) -> anyhow::Result<StatementLine> {
    let request = ListStatementRequest { page_size: 1, ..Default::default() };
    let page = player.wallet().list_statement(player.request(request)).await?.into_inner();
    page.lines.into_iter().next().context("a line")
}

#[tokio::test]
async fn a_cheat_is_found_out_and_his_victim_has_the_stake_back_with_the_game_on_the_statement()
-> anyhow::Result<()> {
    let stack = Stack::shared();
    let (moderator, operator) =
        (Player::sign_in(stack, MODERATOR).await?, Player::sign_in(stack, OPERATOR).await?);
    let table = Table::new(stack).await?;
    let (victim, cheat) = (&table.white, &table.black);
    table.play_all(&["e2e4", "e7e5"]).await?;
    table.white_resigns().await?;
    table.wait_for_settlement().await;
    let (lost, won) = (victim.purse().await?.available, cheat.purse().await?.available);
    ensure!(last_line(victim).await?.kind() == TransferKind::Payout, "the loser's line of the payout");

    let fairplay = stack.database(ServiceName::Fairplay).await?;
    let case_id = open_case(&fairplay, cheat.id().parse()?, table.game_id.parse()?).await?;
    decide(&moderator, case_id, CaseDecision::Confirmed).await?;
    let owed = eventually(PATIENCE, || refund(&operator, &table.game_id, VictimRefundState::Owed)).await;
    assert!(owed.note.contains("AdjustFund"), "{}", owed.note);
    let stake = owed.stake.clone().context("a stake")?;
    assert_eq!(victim.purse().await?.available, lost, "the house has put nothing into its fund yet");

    let funding = AdjustFundRequest {
        request_id: request_id(),
        amount: Some(Money { minor_units: 100_000, currency: stake.currency.clone() }),
        source: FundSource::Outside.into(),
        reason: "for this season".to_owned(),
    };
    WalletAdminServiceClient::new(operator.channel()).adjust_fund(operator.request(funding)).await?;
    eventually(PATIENCE, || async {
        victim.purse().await.ok().filter(|purse| purse.available == lost + stake.minor_units)
    })
    .await;
    let line = last_line(victim).await?;
    assert_eq!((line.kind(), line.game_id.as_str()), (TransferKind::Restitution, table.game_id.as_str()));
    assert_eq!(line.available_change, Some(stake.clone()));
    assert_eq!(cheat.purse().await?.available, won, "the house pays, not the other player");

    // Decided the other way: nobody takes it back from the victim.
    decide(&moderator, case_id, CaseDecision::Cleared).await?;
    decide(&moderator, case_id, CaseDecision::Confirmed).await?;
    let paid = refund(&operator, &table.game_id, VictimRefundState::Paid).await.context("it is paid")?;
    assert_eq!(paid.transfer_id, line.transfer_id);
    assert_eq!(victim.purse().await?.available, lost + stake.minor_units);
    let wallet = stack.database(ServiceName::Wallet).await?;
    let report = wallet::ledger_verify::verify(&wallet).await?;
    assert_eq!((report.difference.as_ref(), report.ledger_sum_minor()), (None, 0));
    Ok(())
}
