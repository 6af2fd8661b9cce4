//! The wallet as a process: `stakemate-wallet [migrate]`.

use std::process::ExitCode;

use service_kit::Program;
use wallet::{MIGRATOR, SERVICE};

fn main() -> ExitCode {
    let program = Program { service: SERVICE, migrator: &MIGRATOR };
    service_kit::main(program, wallet::run)
}
