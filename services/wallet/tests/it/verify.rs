//! What `ledger verify` finds.

use prost::Message as _;
use proto::game::v1::GameResult;
use proto::wallet::v1::{PotPaid, StakesHeld};
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;
use wallet::app::audit::Difference as LogDifference;
use wallet::ledger_verify::{Difference, verify};

use crate::support::{Match, assert_clean, balance, database, sign_up};

/// A ledger with a settled match, an open one, and whoever is in them.
struct Ledger {
    pool: PgPool,
    white: Uuid,
    black: Uuid,
    paid: Match,
}

async fn ledger() -> Ledger {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let paid = Match::new(white, black, 100);
    paid.request(&pool).await.expect("held");
    paid.end(&pool, GameResult::WhiteWins).await.expect("paid");
    let open = Match::new(white, black, 70);
    open.request(&pool).await.expect("held");
    assert_clean(&pool).await;
    Ledger { pool, white, black, paid }
}

impl Ledger {
    async fn tamper(&self, statement: String) {
        let changed =
            sqlx::query(AssertSqlSafe(statement)).execute(&self.pool).await.expect("the database lets us");
        assert!(changed.rows_affected() > 0, "something was tampered with");
    }

    async fn difference(&self) -> Difference {
        let report = verify(&self.pool).await.expect("the database answers");
        assert!(!report.is_clean());
        report.difference.expect("a difference")
    }
}

#[tokio::test]
async fn the_report_counts_what_it_has_read() {
    let ledger = ledger().await;
    let report = assert_clean(&ledger.pool).await;
    // Two accounts with a deposit each, a hold and a payout, and a hold.
    assert_eq!(report.totals.events, 7);
    assert_eq!(report.totals.transfers, 6);
    assert_eq!(report.totals.entries, 4 + 4 + 3 + 3 + 4);
    assert_eq!(report.totals.open_holds, 1);
}

#[tokio::test]
async fn a_tampered_balance_is_named_and_everybody_elses_money_goes_on() {
    // F22, WALLET-6
    let ledger = ledger().await;
    let (white, black) = (ledger.white, ledger.black);
    ledger
        .tamper(format!("update balances set amount = amount + 1 where owner_id = '{white}' and kind = 1"))
        .await;
    let found = ledger.difference().await;
    let Difference::Log(LogDifference::Balance { account, recorded_minor, computed_minor, .. }) = &found
    else {
        panic!("another difference: {found}");
    };
    let player = domain_ledger::PlayerId::new(white.as_u128());
    assert_eq!(*account, domain_ledger::Account::Available(player));
    assert_eq!((*recorded_minor, *computed_minor), (521, 520));

    let other = sign_up(&ledger.pool, 500).await;
    let unrelated = Match::new(black, other, 30);
    unrelated.request(&ledger.pool).await.expect("held");
    unrelated.end(&ledger.pool, GameResult::BlackWins).await.expect("paid");
    assert_eq!(balance(&ledger.pool, other).await, (527, 0));
}

#[tokio::test]
async fn money_moved_between_two_accounts_behind_the_ledgers_back_is_found() {
    let ledger = ledger().await;
    let (white, black) = (ledger.white, ledger.black);
    // The sum stays zero, and so does what each player has in all.
    ledger
        .tamper(format!(
            "update balances set amount = amount + case kind when 1 then 10 else -10 end \
             where owner_id in ('{white}', '{black}')"
        ))
        .await;
    let found = ledger.difference().await;
    assert!(matches!(found, Difference::Log(LogDifference::Balance { .. })), "{found}");
}

#[tokio::test]
async fn a_lost_balance_is_found() {
    let ledger = ledger().await;
    let white = ledger.white;
    ledger.tamper(format!("delete from balances where owner_id = '{white}' and kind = 2")).await;
    let found = ledger.difference().await;
    assert!(matches!(found, Difference::Log(LogDifference::Balance { recorded_minor: 0, .. })), "{found}");
}

#[tokio::test]
async fn every_tampered_entry_is_named_by_its_transfer() {
    let payout = |ledger: &Ledger| Uuid::new_v5(&ledger.paid.match_id, b"payout");
    for (change, account) in [
        ("update entries set change = change + 1 where kind = 4 and transfer_id = ", Some(4)),
        ("update entries set currency = 'EUR' where kind = 1 and transfer_id = ", Some(1)),
        ("update entries set owner_id = gen_random_uuid() where kind = 3 and transfer_id = ", Some(3)),
        ("delete from entries where transfer_id = ", None),
    ] {
        let ledger = ledger().await;
        let transfer_id = payout(&ledger);
        ledger.tamper(format!("{change}'{transfer_id}'")).await;
        let found = ledger.difference().await;
        let Difference::Entries { transfer_id: named, kind, .. } = found else {
            panic!("{change}: {found}");
        };
        assert_eq!(named, transfer_id, "{change}");
        assert!(account.is_none_or(|account| account == kind), "{change}: {kind}");
    }
}

#[tokio::test]
async fn every_tampered_line_of_a_statement_is_named() {
    for change in [
        "update statement_lines set available_change = available_change + 1 where kind = 3 and fee is not null",
        "update statement_lines set available_after = available_after + 1 where kind = 3 and fee is not null",
        "update statement_lines set game_id = null where kind = 3 and fee is not null",
        "update statement_lines set kind = 4 where kind = 3 and fee is not null",
        "delete from statement_lines where kind = 3 and fee is not null",
    ] {
        let ledger = ledger().await;
        let (transfer_id, player_id): (Uuid, Uuid) = sqlx::query_as(
            "select transfer_id, player_id from statement_lines where kind = 3 and fee is not null",
        )
        .fetch_one(&ledger.pool)
        .await
        .expect("one game was won");
        ledger.tamper(change.to_owned()).await;
        assert_eq!(ledger.difference().await, Difference::Line { transfer_id, player_id }, "{change}");
    }
    let ledger = ledger().await;
    ledger
        .tamper(
            "insert into statement_lines (player_id, transfer_id, recorded_at, available_change, held_change, \
             available_after, kind, currency) \
             values (gen_random_uuid(), gen_random_uuid(), now(), 5, 0, 5, 1, 'XPL')"
                .to_owned(),
        )
        .await;
    assert!(matches!(ledger.difference().await, Difference::LineCount { .. }));
}

#[tokio::test]
async fn a_first_outcome_that_is_gone_or_another_is_named() {
    for change in ["delete from operations where id = $1", "update operations set outcome = 2 where id = $1"]
    {
        let ledger = ledger().await;
        let match_id = ledger.paid.match_id;
        sqlx::query(change)
            .bind(wallet::app::step_uuid(match_id, "pay"))
            .execute(&ledger.pool)
            .await
            .expect("the database lets us");
        let expected = Difference::Operation { match_id, step: "pay".to_owned() };
        assert_eq!(ledger.difference().await, expected, "{change}");
    }
}

#[tokio::test]
async fn entries_of_no_transfer_are_found() {
    let ledger = ledger().await;
    ledger
        .tamper(
            "insert into entries (transfer_id, kind, owner_id, currency, change) \
             values (gen_random_uuid(), 4, '00000000-0000-0000-0000-000000000000', 'XPL', 5)"
                .to_owned(),
        )
        .await;
    let found = ledger.difference().await;
    let expected = Difference::EntryCount { stored: 19, logged: 18 };
    assert_eq!(found, expected);
}

#[tokio::test]
async fn an_event_changed_in_the_log_is_found() {
    // The last byte of a payout is that of a balance afterwards; the first ones are the match's id.
    let paid = "type = 'PotPaid'";
    let ledger_of = ledger;
    for at in ["10", "length(data) - 1"] {
        let ledger = ledger_of().await;
        ledger
            .tamper(format!(
                "update events set data = set_byte(data, {at}, get_byte(data, {at}) # 1) where {paid}"
            ))
            .await;
        let found = ledger.difference().await;
        assert!(matches!(found, Difference::Log(_) | Difference::Unreadable(_)), "byte {at}: {found}");
    }
}

#[tokio::test]
async fn a_running_balance_changed_in_the_log_leaves_a_gap() {
    let ledger = ledger().await;
    let events = event_store::load(&ledger.pool, ledger.paid.match_id, 0, 10).await;
    let events = events.expect("the log answers");
    let mut held = StakesHeld::decode(events[0].data.as_slice()).expect("readable");
    // That of what is held: what is available stands on a statement as well.
    let after = &mut held.transfers[0].entries[1].balance_after_minor_units;
    assert_eq!(*after, Some(100));
    *after = Some(101);
    sqlx::query("update events set data = $1 where stream_id = $2 and version = 1")
        .bind(held.encode_to_vec())
        .bind(ledger.paid.match_id)
        .execute(&ledger.pool)
        .await
        .expect("the database lets us");
    let found = ledger.difference().await;
    let expected = domain_ledger::Account::Held(domain_ledger::PlayerId::new(ledger.white.as_u128()));
    assert!(
        matches!(&found, Difference::Log(LogDifference::BrokenChain { account, .. }) if *account == expected),
        "{found}"
    );
}

#[tokio::test]
async fn a_payout_of_another_sum_is_not_what_the_rules_decide() {
    let ledger = ledger().await;
    let events = event_store::load(&ledger.pool, ledger.paid.match_id, 1, 10).await;
    let events = events.expect("the log answers");
    let mut paid = PotPaid::decode(events[0].data.as_slice()).expect("readable");
    // One unit from the house to the winner, everywhere in the event: it still sums to zero.
    paid.payout.as_mut().expect("present").minor_units += 1;
    paid.fee.as_mut().expect("present").minor_units -= 1;
    let entries = &mut paid.transfers[1].entries;
    entries[1].change_minor_units += 1;
    entries[2].change_minor_units -= 1;
    sqlx::query("update events set data = $1 where stream_id = $2 and version = 2")
        .bind(paid.encode_to_vec())
        .bind(ledger.paid.match_id)
        .execute(&ledger.pool)
        .await
        .expect("the database lets us");
    let (stream_id, version) = (ledger.paid.match_id, 2);
    let expected = Difference::Log(LogDifference::NotDecided { stream_id, version });
    assert_eq!(ledger.difference().await, expected);
}

#[tokio::test]
async fn a_settlement_that_is_gone_from_the_log_is_found() {
    let ledger = ledger().await;
    ledger.tamper("delete from events where type = 'PotPaid'".to_owned()).await;
    ledger.difference().await;
}
