//! `make simulate SEEDS=n`: the match process under every fault, seed by seed.
//!
//! `simulate --seeds N [--from SEED]`. The last line is a JSON object; the exit code is 1 when a seed failed. A failing seed
//! is run again with `simulate --seeds 1 --from SEED`.

use std::process::ExitCode;

use serde_json::json;

/// Failing seeds that are named; there is no use in more.
const NAMED_MAX: usize = 20;

fn main() -> ExitCode {
    let Some((from, seeds)) = arguments() else {
        eprintln!("usage: simulate --seeds N [--from SEED]");
        return ExitCode::from(2);
    };
    let mut failures = 0_u64;
    let mut failing_seeds = Vec::new();
    for seed in from..from.saturating_add(seeds) {
        if let Err(reason) = end_to_end::simulator::run(seed) {
            failures += 1;
            if failing_seeds.len() < NAMED_MAX {
                println!("seed {seed}: {reason}");
                failing_seeds.push(seed);
            }
        }
    }
    println!("{}", json!({"seeds": seeds, "failures": failures, "failing_seeds": failing_seeds}));
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn arguments() -> Option<(u64, u64)> {
    let (mut from, mut seeds) = (0, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next()?.parse().ok()?;
        match word.as_str() {
            "--seeds" => seeds = Some(value),
            "--from" => from = value,
            _ => return None,
        }
    }
    Some((from, seeds?))
}
