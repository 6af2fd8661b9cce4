//! P11: settlements in batches against one transaction each with a hot fee row, on one Postgres that syncs to disk.

use anyhow::{Context as _, ensure};
use wallet::bench::{Plan, settlement_rates};

use crate::figure::{Figure, Goal, quantile};

/// Times as many settlements in batches as in a transaction each, at least.
const GOAL: f64 = 10.0;

/// Measures so many rounds, each on a database of its own, and prints their medians.
pub async fn run(rounds: usize) -> anyhow::Result<()> {
    let plan = Plan::default();
    let (mut ratios, mut batched, mut single) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let database = test_kit::durable_postgres().await.database("wallet_bench").await;
        for schema in [event_store::schema(), event_bus::schema()] {
            sqlx::raw_sql(schema).execute(&database.pool).await?;
        }
        wallet::MIGRATOR.run(&database.pool).await?;
        let rates = settlement_rates(&database.pool, plan).await.context("settling")?;
        let report = wallet::ledger_verify::verify(&database.pool).await?;
        ensure!(report.is_clean(), "the ledger does not add up: {:?}", report.difference);
        ratios.push(rates.ratio());
        batched.push(rates.batched_per_s);
        single.push(rates.single_per_s);
    }
    let n = (plan.batched + plan.single) * rounds;
    let figure = |id, name: &str, mut values: Vec<f64>, unit, goal| {
        Figure { id, name: name.to_owned(), value: quantile(&mut values, 0.5), unit, goal, n }.print();
    };
    figure(
        "raw",
        "settlements in a transaction each with a hot fee row",
        single,
        "settlements/s",
        Goal::None,
    );
    figure("raw", "settlements in batches", batched, "settlements/s", Goal::None);
    let name = "settlements in batches against one a transaction with a hot fee row";
    figure("P11", name, ratios, "x", Goal::AtLeast(GOAL));
    Ok(())
}
