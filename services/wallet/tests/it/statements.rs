//! Statements by filter and as files, and balances as they change.

use futures::StreamExt as _;
use proto::game::v1::GameResult;
use proto::wallet::v1 as pb;
use proto::wallet::v1::wallet_service_server::WalletService as _;
use proto::wallet::v1::watch_balance_response::Frame;
use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;
use wallet::grpc::Service;

use crate::support::counter::{desk, id, money, player, service};
use crate::support::{Match, database, sign_up};

/// A player with a deposit, a won game and a withdrawal, and the game.
async fn history() -> (PgPool, Service, Uuid, Match) {
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await);
    let service = service(&pool, desk());
    let played = Match::new(who, other, 100);
    played.request(&pool).await.expect("held");
    played.end(&pool, GameResult::WhiteWins).await.expect("paid");
    let request = pb::CreateWithdrawalRequest { request_id: id(), amount: money(90), validate_only: false };
    service.create_withdrawal(player(who, request)).await.expect("done");
    (pool, service, who, played)
}

async fn export(
    service: &Service,
    who: Uuid,
    format: pb::ExportFormat,
    filter: Option<pb::StatementFilter>,
) -> String {
    let request = pb::ExportStatementRequest { format: format as i32, filter };
    let mut stream = service.export_statement(player(who, request)).await.expect("a file").into_inner();
    let mut file = Vec::new();
    while let Some(piece) = stream.next().await {
        let piece = piece.expect("a piece").chunk;
        assert!(piece.len() <= 64 * 1024);
        file.extend(piece);
    }
    String::from_utf8(file).expect("text")
}

#[tokio::test]
async fn a_statement_is_filtered_by_kind_and_time_page_by_page() {
    let (pool, service, who, _) = history().await;
    let list = |filter: pb::StatementFilter, page_token: String| {
        let request = pb::ListStatementRequest { page_size: 1, page_token, filter: Some(filter) };
        service.list_statement(player(who, request))
    };
    let kinds = vec![pb::TransferKind::Payout as i32, pb::TransferKind::Withdrawal as i32];
    let filter = pb::StatementFilter { kinds, ..Default::default() };
    let first = list(filter.clone(), String::new()).await.expect("a page").into_inner();
    assert_eq!(first.lines[0].kind(), pb::TransferKind::Withdrawal);
    let second = list(filter, first.next_page_token).await.expect("a page").into_inner();
    assert_eq!((second.lines[0].kind(), second.next_page_token.as_str()), (pb::TransferKind::Payout, ""));

    sqlx::query("update statement_lines set recorded_at = to_timestamp(line) where player_id = $1")
        .bind(who)
        .execute(&pool)
        .await
        .expect("times one can count");
    let at = second.lines[0].transfer_id.clone();
    let line: i64 =
        sqlx::query_scalar("select line from statement_lines where transfer_id = $1 and player_id = $2")
            .bind(at.parse::<Uuid>().expect("an id"))
            .bind(who)
            .fetch_one(&pool)
            .await
            .expect("there");
    let only =
        pb::StatementFilter { since_ms: line * 1_000, until_ms: line * 1_000 + 1, ..Default::default() };
    let page = list(only, String::new()).await.expect("a page").into_inner();
    assert_eq!(
        (page.lines.len(), page.lines[0].transfer_id.clone(), page.next_page_token.as_str()),
        (1, at, "")
    );
    for bad in [
        pb::StatementFilter { since_ms: -1, ..Default::default() },
        pb::StatementFilter { until_ms: i64::MAX, ..Default::default() },
        pb::StatementFilter { kinds: vec![99], ..Default::default() },
        pb::StatementFilter { kinds: vec![0], ..Default::default() },
    ] {
        let status = list(bad, String::new()).await.expect_err("malformed");
        assert_eq!(status.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn a_file_has_every_line_with_its_game_oldest_first() {
    let (_pool, service, who, played) = history().await;
    let csv = export(&service, who, pb::ExportFormat::Csv, None).await;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 5, "{csv}");
    let columns = |line: &str| line.split(',').skip(1).take(8).map(str::to_owned).collect::<Vec<_>>();
    let (game, id) = (played.game_id.to_string(), played.match_id.to_string());
    assert_eq!(columns(lines[1]), ["deposit", "XPL", "1000", "0", "1000", "", "", ""]);
    assert_eq!(columns(lines[2]), ["hold", "XPL", "-100", "100", "900", "", id.as_str(), game.as_str()]);
    assert_eq!(columns(lines[3]), ["payout", "XPL", "190", "-100", "1090", "10", id.as_str(), game.as_str()]);
    assert_eq!(columns(lines[4]), ["withdrawal", "XPL", "-90", "0", "1000", "", "", ""]);

    let json = export(&service, who, pb::ExportFormat::Json, None).await;
    let objects: Vec<serde_json::Value> = serde_json::from_str(&json).expect("one array");
    assert_eq!(objects.len(), 4);
    assert_eq!(objects[2]["game_id"], game);
    assert_eq!(objects[2]["available_change_minor_units"], 190);
    let none = pb::StatementFilter { until_ms: 1, ..Default::default() };
    let empty = export(&service, who, pb::ExportFormat::Json, Some(none.clone())).await;
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&empty).expect("one array").len(), 0);
    assert_eq!(export(&service, who, pb::ExportFormat::Csv, Some(none)).await.lines().count(), 1);
}

#[tokio::test]
async fn a_long_statement_is_exported_whole_in_pieces() {
    let (pool, service, who, _) = history().await;
    sqlx::query(
        "insert into statement_lines (player_id, transfer_id, recorded_at, available_change, held_change, \
         available_after, kind, currency) \
         select $1, gen_random_uuid(), now(), 1, 0, 1, 1, 'XPL' from generate_series(1, 1000)",
    )
    .bind(who)
    .execute(&pool)
    .await
    .expect("many lines");
    let csv = export(&service, who, pb::ExportFormat::Csv, None).await;
    assert_eq!(csv.lines().count(), 1 + 1_004);
    let json = export(&service, who, pb::ExportFormat::Json, None).await;
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&json).expect("one array").len(), 1_004);
}

#[tokio::test]
async fn a_watcher_sees_the_balances_and_every_change_and_resumes_without_a_repeat() {
    let (_pool, service, who, _) = history().await;
    let request = pb::WatchBalanceRequest { resume_after: None };
    let mut stream = service.watch_balance(player(who, request)).await.expect("a stream").into_inner();
    let balances = |frame: &pb::WatchBalanceResponse| match &frame.frame {
        Some(Frame::Balances(balances)) => balances.balances[0].available.clone(),
        other => panic!("not balances: {other:?}"),
    };
    let first = stream.next().await.expect("a frame").expect("good");
    assert_eq!(balances(&first), money(1_000));
    let deposit = |minor| pb::CreateDepositRequest { request_id: id(), amount: money(minor) };
    service.create_deposit(player(who, deposit(5))).await.expect("done");
    let second = stream.next().await.expect("a frame").expect("good");
    assert_eq!(balances(&second), money(1_005));
    assert!(second.sequence > first.sequence);

    let request = pb::WatchBalanceRequest { resume_after: Some(second.sequence) };
    let mut resumed = service.watch_balance(player(who, request)).await.expect("a stream").into_inner();
    let (next, _) = tokio::join!(resumed.next(), async {
        service.create_deposit(player(who, deposit(7))).await.expect("done");
    });
    assert_eq!(balances(&next.expect("a frame").expect("good")), money(1_012));
    let stranger = pb::WatchBalanceRequest { resume_after: None };
    let refused = service.watch_balance(player(Uuid::now_v7(), stranger)).await;
    assert_eq!(refused.err().expect("no account").code(), Code::NotFound);
}
