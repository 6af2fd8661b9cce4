//! `stakemate-fuzz`: what `make fuzz` runs. One JSON line a target; exit code 1 and the input when something was found.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fuzz::{Extent, run, targets};
use serde_json::json;

/// Feeds every target with inputs that nobody would send by mistake.
#[derive(Debug, Parser)]
#[command(name = "stakemate-fuzz")]
struct Arguments {
    /// How long each target is fed.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Only these, separated by commas: uci, fen, pgn, packed, requests.
    #[arg(long, default_value = "", value_delimiter = ',')]
    only: Vec<String>,
    /// The row of inputs; another one each time when left out.
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let named: Vec<&String> = arguments.only.iter().filter(|only| !only.is_empty()).collect();
    let mut exit = ExitCode::SUCCESS;
    for target in targets::ALL {
        if !named.is_empty() && !named.iter().any(|only| *only == target.name) {
            continue;
        }
        let line = match run(&target, seed, Extent::Span(Duration::from_secs(arguments.seconds))) {
            Ok(done) => json!({
                "target": target.name, "seed": seed, "inputs": done.inputs, "accepted": done.accepted, "findings": 0,
            }),
            Err(finding) => {
                exit = ExitCode::FAILURE;
                json!({
                    "target": target.name, "seed": seed, "inputs": finding.number + 1, "findings": 1, "what": finding.what,
                    "input": String::from_utf8_lossy(&finding.input), "bytes": finding.input,
                })
            }
        };
        println!("{line}");
    }
    exit
}
