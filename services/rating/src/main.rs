//! The rating service as a process: `stakemate-rating [migrate | rebuild]`.

use std::process::ExitCode;

use rating::{Config, MIGRATOR, SERVICE};
use service_kit::Program;

fn main() -> ExitCode {
    if std::env::args().skip(1).eq(["rebuild"]) {
        return rebuild();
    }
    let program = Program { service: SERVICE, migrator: &MIGRATOR };
    service_kit::main(program, rating::run)
}

/// Computes all ratings from the log and says what came of it.
fn rebuild() -> ExitCode {
    match try_rebuild() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_rebuild() -> anyhow::Result<()> {
    let config: Config = service_kit::config::load(SERVICE)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let pool = service_kit::database::open(&config.common, SERVICE, &MIGRATOR).await?;
        let report = rating::rebuild(&pool, rating::RebuildConfig::default()).await?;
        println!(
            "{} changes, {} ratings, {} had been stored otherwise",
            report.changes, report.ratings, report.differing
        );
        pool.close().await;
        Ok(())
    })
}
