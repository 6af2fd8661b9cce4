//! The invariants that are checked all the time.

use proto::game::v1::GameResult;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;
use wallet::invariants::{Breach, CHECKS, check};
use wallet::sealing::seal_all;
use wallet::store::seals::ChainPlace;

use crate::support::{Match, balance, database, sign_up};

struct Ledger {
    pool: PgPool,
    white: Uuid,
    black: Uuid,
    paid: Match,
    open: Match,
}

async fn ledger() -> Ledger {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let paid = Match::new(white, black, 100);
    paid.request(&pool).await.expect("held");
    paid.end(&pool, GameResult::WhiteWins).await.expect("paid");
    let open = Match::new(white, black, 70);
    open.request(&pool).await.expect("held");
    let ledger = Ledger { pool, white, black, paid, open };
    assert_eq!(ledger.breaches().await, []);
    ledger
}

impl Ledger {
    async fn tamper(&self, statement: String) {
        let changed =
            sqlx::query(AssertSqlSafe(statement)).execute(&self.pool).await.expect("the database lets us");
        assert!(changed.rows_affected() > 0, "something was tampered with");
    }

    async fn breaches(&self) -> Vec<Breach> {
        check(&self.pool, ChainPlace::START).await.expect("the database answers").0
    }

    async fn broken(&self) -> Vec<&'static str> {
        let breaches = self.breaches().await;
        let mut names: Vec<_> = breaches.iter().map(Breach::check).collect();
        names.sort_unstable();
        assert!(names.iter().all(|name| CHECKS.contains(name)));
        names
    }
}

#[tokio::test]
async fn every_broken_account_is_named_and_nobody_else_is_stopped() {
    // F22, WALLET-10
    let ledger = ledger().await;
    let (white, black) = (ledger.white, ledger.black);
    ledger
        .tamper(format!(
            "update balances set amount = amount + 1 where owner_id in ('{white}', '{black}') and kind = 1"
        ))
        .await;
    let breaches = ledger.breaches().await;
    let mut named: Vec<Uuid> = breaches
        .iter()
        .map(|breach| match breach {
            Breach::Balance(balance) => balance.key.owner_id,
            other => panic!("another breach: {other}"),
        })
        .collect();
    named.sort_unstable();
    let mut expected = [white, black];
    expected.sort_unstable();
    assert_eq!(named, expected);
    let (other, another) = (sign_up(&ledger.pool, 50).await, sign_up(&ledger.pool, 50).await);
    let unrelated = Match::new(other, another, 30);
    unrelated.request(&ledger.pool).await.expect("held");
    unrelated.end(&ledger.pool, GameResult::WhiteWins).await.expect("paid");
    assert_eq!(balance(&ledger.pool, other).await, (77, 0));
}

#[tokio::test]
async fn held_money_without_a_hold_is_found() {
    let ledger = ledger().await;
    ledger.tamper(format!("delete from holds where match_id = '{}'", ledger.open.match_id)).await;
    assert_eq!(ledger.broken().await, ["held", "held"]);
}

#[tokio::test]
async fn a_hold_that_outlives_its_game_is_found() {
    let ledger = ledger().await;
    let paid = ledger.paid.match_id;
    ledger.tamper(format!("update holds set settled_by = null where match_id = '{paid}'")).await;
    let breaches = ledger.breaches().await;
    assert!(breaches.contains(&Breach::HoldOutlivesItsEnd(paid)), "{breaches:?}");
    assert!(breaches.contains(&Breach::Settlement { match_id: paid, settlements: 1 }), "{breaches:?}");
}

#[tokio::test]
async fn a_settlement_that_is_gone_from_the_log_or_there_without_a_hold_is_found() {
    let ledger = ledger().await;
    let paid = ledger.paid.match_id;
    ledger
        .tamper(format!("update events set type = 'Paid' where stream_id = '{paid}' and version = 2"))
        .await;
    assert_eq!(ledger.breaches().await, [Breach::Settlement { match_id: paid, settlements: 0 }]);
    ledger.tamper(format!("delete from holds where match_id = '{paid}'")).await;
    ledger
        .tamper(format!("update events set type = 'PotPaid' where stream_id = '{paid}' and version = 2"))
        .await;
    assert_eq!(ledger.breaches().await, [Breach::Settlement { match_id: paid, settlements: 1 }]);
}

#[tokio::test]
async fn an_entry_that_makes_money_is_found_in_its_transfer_its_currency_and_its_account() {
    let ledger = ledger().await;
    let white = ledger.white;
    let hold = Uuid::new_v5(&ledger.paid.match_id, b"hold");
    ledger
        .tamper(format!(
            "update entries set change = change + 5 \
             where transfer_id = '{hold}' and kind = 1 and owner_id = '{white}'"
        ))
        .await;
    assert_eq!(ledger.broken().await, ["balance", "currency", "transfer"]);
}

#[tokio::test]
async fn a_changed_event_is_found_while_the_service_runs() {
    let ledger = ledger().await;
    seal_all(&ledger.pool).await.expect("sealed");
    let (breaches, end) = check(&ledger.pool, ChainPlace::START).await.expect("the database answers");
    assert_eq!((breaches, end), (Vec::new(), ChainPlace::START));
    let paid = ledger.paid.match_id;
    ledger
        .tamper(format!(
            "update events set data = set_byte(data, 5, get_byte(data, 5) # 1) \
             where stream_id = '{paid}' and version = 1"
        ))
        .await;
    assert_eq!(ledger.broken().await, ["chain"]);
}
