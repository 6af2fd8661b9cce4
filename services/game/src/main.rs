//! The game service as a process.

use std::process::ExitCode;

fn main() -> ExitCode {
    let program = service_kit::Program { service: game::store::SERVICE, migrator: &game::MIGRATOR };
    service_kit::main(program, game::run)
}
