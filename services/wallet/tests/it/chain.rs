//! The hash chain over the log.

use futures::future::join_all;
use proto::game::v1::GameResult;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;
use wallet::ledger_verify::{Difference, verify};
use wallet::sealing::{ChainDifference, seal_all, seal_page};
use wallet::store::seals::head;

use crate::support::{Match, assert_clean, database, sign_up};

/// A sealed ledger of seven events, and its settled match.
async fn sealed() -> (PgPool, Match) {
    let pool = database().await;
    let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let paid = Match::new(white, black, 100);
    paid.request(&pool).await.expect("held");
    paid.end(&pool, GameResult::WhiteWins).await.expect("paid");
    let open = Match::new(white, black, 70);
    open.request(&pool).await.expect("held");
    assert_eq!(seal_all(&pool).await.expect("sealed"), 7);
    assert_eq!(assert_clean(&pool).await.chain.position, 7);
    (pool, paid)
}

async fn tamper(pool: &PgPool, statement: &str) {
    let changed = sqlx::query(AssertSqlSafe(statement))
        .execute(pool)
        .await
        .expect("the database lets us")
        .rows_affected();
    assert_eq!(changed, 1, "{statement}");
}

async fn difference(pool: &PgPool) -> ChainDifference {
    let report = verify(pool).await.expect("the database answers");
    match report.difference {
        Some(Difference::Chain(difference)) => difference,
        other => panic!("not a difference of the chain: {other:?}"),
    }
}

#[tokio::test]
async fn any_byte_flipped_in_any_column_of_an_event_names_that_event() {
    // WALLET-9
    let (pool, paid) = sealed().await;
    let place = format!("stream_id = '{}' and version = 2", paid.match_id);
    let data_bytes: i32 =
        sqlx::query_scalar(AssertSqlSafe(format!("select length(data) from events where {place}")))
            .fetch_one(&pool)
            .await
            .expect("the event is there");
    let flip =
        |column: &str, at: i32| format!("{column} = set_byte({column}, {at}, get_byte({column}, {at}) # 1)");
    let mut changes: Vec<String> = (0..data_bytes).step_by(37).map(|at| flip("data", at)).collect();
    changes.push(flip("data", data_bytes - 1));
    changes.push(flip("metadata", 3));
    changes.push("schema = schema + 1".to_owned());
    changes.push("type = 'StakesRefunded'".to_owned());
    changes.push("event_id = gen_random_uuid()".to_owned());
    changes.push("recorded_at = recorded_at + interval '1 microsecond'".to_owned());
    for change in changes {
        let mut tx = pool.begin().await.expect("the database answers");
        let kept: String = sqlx::query_scalar(AssertSqlSafe(format!(
            "select row_to_json(e)::text from events e where {place}"
        )))
        .fetch_one(&mut *tx)
        .await
        .expect("the event is there");
        tx.commit().await.expect("committed");
        tamper(&pool, &format!("update events set {change} where {place}")).await;
        let found = difference(&pool).await;
        let ChainDifference::Changed { stream_id, version, .. } = found else {
            panic!("{change}: {found}");
        };
        assert_eq!((stream_id, version), (paid.match_id, 2), "{change}");
        sqlx::query(AssertSqlSafe(format!(
            "update events e set (data, metadata, schema, type, event_id, recorded_at) = \
             (select k.data, k.metadata, k.schema, k.type, k.event_id, k.recorded_at \
              from json_populate_record(null::events, $1::json) k) where {place}"
        )))
        .bind(kept)
        .execute(&pool)
        .await
        .expect("put back");
        assert_clean(&pool).await;
    }
}

#[tokio::test]
async fn a_sealed_event_that_is_gone_is_named() {
    let (pool, paid) = sealed().await;
    tamper(&pool, &format!("delete from events where stream_id = '{}' and version = 2", paid.match_id)).await;
    let found = difference(&pool).await;
    assert!(
        matches!(found, ChainDifference::Gone { stream_id, version: 2, .. } if stream_id == paid.match_id),
        "{found}"
    );
}

#[tokio::test]
async fn a_missing_seal_and_an_event_from_elsewhere_are_named() {
    let (pool, paid) = sealed().await;
    let foreign = Uuid::now_v7();
    let copy = format!(
        "insert into events (stream_id, event_id, version, schema, type, data, metadata) \
         select '{foreign}', gen_random_uuid(), 1, schema, type, data, metadata from events \
         where stream_id = '{}' and version = 1",
        paid.match_id
    );
    tamper(&pool, &copy).await;
    assert_eq!(difference(&pool).await, ChainDifference::Outside { stream_id: foreign, version: 1 });
    tamper(&pool, &format!("delete from events where stream_id = '{foreign}'")).await;
    assert_clean(&pool).await;
    tamper(&pool, "delete from seals where position = 3").await;
    assert_eq!(difference(&pool).await, ChainDifference::SealGone { position: 3 });
}

#[tokio::test]
async fn an_event_rewritten_together_with_its_seal_breaks_the_next_link() {
    let (pool, _) = sealed().await;
    tamper(&pool, "update seals set hash = sha256('forged') where position = 4").await;
    let found = difference(&pool).await;
    assert!(matches!(found, ChainDifference::Changed { position: 4, .. }), "{found}");
}

#[tokio::test]
async fn sealers_and_players_at_once_make_one_chain_without_a_gap() {
    let pool = database().await;
    let mut matches = Vec::new();
    for _ in 0..10 {
        let (white, black) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
        matches.push(Match::new(white, black, 10));
    }
    let play = matches.iter().map(|played| async {
        played.request(&pool).await.expect("held");
        played.end(&pool, GameResult::Draw).await.expect("refunded");
    });
    let seal = (0..20).map(|_| async {
        seal_page(&pool).await.expect("sealed, or another did it");
    });
    tokio::join!(join_all(play), join_all(seal));
    seal_all(&pool).await.expect("sealed");
    let report = assert_clean(&pool).await;
    assert_eq!(report.totals.events, 60);
    assert_eq!(report.chain.position, 60);
    assert_eq!(report.chain, head(&pool).await.expect("the chain has an end"));
}

#[tokio::test]
async fn what_is_not_sealed_yet_is_no_difference() {
    let (pool, _) = sealed().await;
    sign_up(&pool, 500).await;
    let report = assert_clean(&pool).await;
    assert_eq!((report.totals.events, report.chain.position), (9, 7));
}
