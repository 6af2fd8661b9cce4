//! The ledger as operators read it.

use proto::game::v1::GameResult;
use proto::wallet::v1 as pb;
use proto::wallet::v1::AccountKind;
use proto::wallet::v1::ledger_service_server::LedgerService as _;
use service_kit::auth::Role;
use tonic::Code;
use uuid::Uuid;
use wallet::bus::games::GameHandler;

use crate::support::counter::{by, desk, operator, service};
use crate::support::{Match, database, deliver, matches, sign_up};

#[tokio::test]
async fn totals_show_both_sides_of_every_kind_and_sum_to_zero() {
    let pool = database().await;
    let service = service(&pool, desk());
    let game = Match::new(sign_up(&pool, 5_000).await, sign_up(&pool, 5_000).await, 1_000);
    deliver(&pool, &matches(), &game.request_message()).await.expect("held");
    deliver(&pool, &GameHandler, &game.end_message(GameResult::WhiteWins)).await.expect("paid");
    let open = Match::new(game.white, game.black, 300);
    deliver(&pool, &matches(), &open.request_message()).await.expect("held");

    let request = operator(Uuid::now_v7(), pb::ListAccountTotalsRequest {});
    let totals = service.list_account_totals(request).await.expect("summed").into_inner().totals;
    let of =
        |kind: AccountKind| totals.iter().find(|total| total.account() == kind).expect("a total").clone();
    assert_eq!(totals.iter().map(|total| total.balance_minor_units).sum::<i64>(), 0);
    assert!(totals.iter().all(|total| {
        total.currency == "XPL"
            && total.balance_minor_units == total.credit_minor_units - total.debit_minor_units
    }));
    // Fee of 5 % on a pot of 2,000.
    assert_eq!(of(AccountKind::Fees).balance_minor_units, 100);
    assert_eq!(of(AccountKind::Held).balance_minor_units, 600);
    let pot = of(AccountKind::Pot);
    assert_eq!((pot.debit_minor_units, pot.credit_minor_units), (2_000, 2_000));
    let outside = of(AccountKind::External);
    assert_eq!((outside.debit_minor_units, outside.accounts, outside.entries), (10_000, 1, 2));
    assert_eq!(of(AccountKind::Available).accounts, 2);
}

#[tokio::test]
async fn a_match_shows_its_transfers_from_the_hold_to_the_payout() {
    let pool = database().await;
    let service = service(&pool, desk());
    let game = Match::new(sign_up(&pool, 5_000).await, sign_up(&pool, 5_000).await, 1_000);
    deliver(&pool, &matches(), &game.request_message()).await.expect("held");
    deliver(&pool, &GameHandler, &game.end_message(GameResult::BlackWins)).await.expect("paid");

    let request = pb::GetMatchLedgerRequest { match_id: game.match_id.to_string() };
    let answer = service.get_match_ledger(operator(Uuid::now_v7(), request)).await.expect("read");
    let transfers = answer.into_inner().transfers;
    let events: Vec<_> = transfers.iter().map(|transfer| transfer.event.as_str()).collect();
    assert_eq!(events, ["StakesHeld", "PotPaid", "PotPaid"]);
    for transfer in transfers.into_iter().filter_map(|one| one.transfer) {
        assert_eq!(transfer.entries.iter().map(|entry| entry.change_minor_units).sum::<i64>(), 0);
    }
    let unknown = pb::GetMatchLedgerRequest { match_id: Uuid::now_v7().to_string() };
    let answer = service.get_match_ledger(operator(Uuid::now_v7(), unknown)).await.expect("read");
    assert!(answer.into_inner().transfers.is_empty());
}

#[tokio::test]
async fn only_operators_read_the_ledger_malformed_or_not() {
    let pool = database().await;
    let service = service(&pool, desk());
    for role in [Role::Player, Role::Computer, Role::Moderator] {
        let totals =
            service.list_account_totals(by(Uuid::now_v7(), role, pb::ListAccountTotalsRequest {})).await;
        assert_eq!(totals.expect_err("no operator").code(), Code::PermissionDenied);
        let request = pb::GetMatchLedgerRequest { match_id: "7".to_owned() };
        let ledger = service.get_match_ledger(by(Uuid::now_v7(), role, request)).await;
        assert_eq!(ledger.expect_err("no operator").code(), Code::PermissionDenied);
    }
    let malformed = pb::GetMatchLedgerRequest { match_id: "7".to_owned() };
    let refused = service.get_match_ledger(operator(Uuid::now_v7(), malformed)).await;
    assert_eq!(refused.expect_err("no id").code(), Code::InvalidArgument);
}
