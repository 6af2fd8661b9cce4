//! Matches while every process of the stack is killed, one after the other: nothing is lost, doubled or left open. The long run
//! is `make chaos MATCHES=2000 KILLS=50`.

use std::process::Command;

use anyhow::{Context as _, ensure};
use end_to_end::stack;
use test_kit::scratch::{self, Medium};

#[test]
fn every_match_is_played_or_comes_to_nothing_though_every_process_is_killed() -> anyhow::Result<()> {
    let mut command = Command::new(stack::programs()?.join("stakemate"));
    command.arg("--data").arg(scratch::folder(Medium::Memory, "chaos")?);
    command.args(["chaos", "--matches", "30", "--kills", "1"]);
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    let printed = String::from_utf8(output.stdout)?;
    let summary: serde_json::Value = serde_json::from_str(printed.lines().last().context("no summary")?)?;
    let number = |name: &str| summary[name].as_i64().with_context(|| format!("no {name} in {summary}"));
    for nothing in [
        "in_neither_state",
        "lost_moves",
        "doubled_effects",
        "unsettled_stakes",
        "ledger_sum",
        "replay_mismatches",
        "ratings_differing",
        "dead_letters",
    ] {
        ensure!(number(nothing)? == 0, "{nothing} in {summary}");
    }
    ensure!(number("played")? >= 30 && number("commands")? > 60, "too little happened: {summary}");
    ensure!(number("played")? + number("cancelled")? == number("matches")?, "{summary}");
    let kills = summary["kills"].as_object().context("no kills")?;
    ensure!(kills.len() == 9 && kills.values().all(|count| *count == 1), "{summary}");
    Ok(())
}
