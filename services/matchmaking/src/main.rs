//! The matchmaking service as a process.

use std::process::ExitCode;

use service_kit::Program;

fn main() -> ExitCode {
    let program = Program { service: matchmaking::SERVICE, migrator: &matchmaking::MIGRATOR };
    service_kit::main(program, matchmaking::run)
}
