//! The wallet's benchmarks on a Postgres of its own that syncs to disk: one JSON line a figure, on standard output.

use wallet::bench::{Plan, settlement_rates};

/// Times as many settlements in batches as in a transaction each, at least.
const GOAL: f64 = 10.0;

#[tokio::main]
async fn main() {
    let database = test_kit::durable_postgres().await.database("wallet_bench").await;
    for schema in [event_store::schema(), event_bus::schema()] {
        sqlx::raw_sql(schema).execute(&database.pool).await.expect("the tables of log and bus can be made");
    }
    wallet::MIGRATOR.run(&database.pool).await.expect("the migrations go through");
    let plan = Plan::default();
    let rates = settlement_rates(&database.pool, plan).await.expect("everything is settled");
    let report = wallet::ledger_verify::verify(&database.pool).await.expect("the database answers");
    assert!(report.is_clean(), "{:?}", report.difference);
    let (ratio, batched, single) = (rates.ratio(), rates.batched_per_s, rates.single_per_s);
    println!(
        "{{\"id\":\"P11\",\"name\":\"settlements in batches against one a transaction with a hot fee row\",\
         \"value\":{ratio:.1},\"unit\":\"x\",\"goal\":{GOAL},\"met\":{},\"n\":{},\
         \"batched_per_s\":{batched:.0},\"single_per_s\":{single:.0}}}",
        ratio >= GOAL,
        plan.batched + plan.single,
    );
}
