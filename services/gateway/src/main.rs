//! The gateway as a process.

use std::process::ExitCode;

fn main() -> ExitCode {
    service_kit::main(
        service_kit::Program { service: gateway::SERVICE, migrator: &gateway::MIGRATOR },
        gateway::run,
    )
}
