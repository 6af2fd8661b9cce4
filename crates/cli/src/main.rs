//! Arguments in, exit code out.

use std::process::ExitCode;

use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run(cli::Arguments::parse()).await
}
