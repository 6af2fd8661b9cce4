//! The fair-play service as a process.

use std::process::ExitCode;

use service_kit::Program;

fn main() -> ExitCode {
    let program = Program { service: fairplay::SERVICE, migrator: &fairplay::MIGRATOR };
    service_kit::main(program, fairplay::run)
}
