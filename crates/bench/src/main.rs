//! `stakemate-bench`: what `make bench` runs.

use std::path::PathBuf;

use clap::Parser;

use bench::{fairplay, game, pairing, ratings, raw, settlements};

/// Sizes of the log that are measured.
const LOG_SIZES: [usize; 3] = [10_000, 1_000_000, 10_000_000];

/// Measures, and prints one JSON line a figure.
#[derive(Debug, Parser)]
#[command(name = "stakemate-bench")]
struct Arguments {
    /// Only these, separated by commas: game, pairing, wallet, rating, fairplay; all when empty.
    #[arg(long, default_value = "", value_delimiter = ',')]
    only: Vec<String>,
    /// Games of the closed loops.
    #[arg(long, default_value_t = 200)]
    concurrent: usize,
    /// Games of the large closed loop.
    #[arg(long, default_value_t = 1_000)]
    concurrent_large: usize,
    /// The largest log that is made.
    #[arg(long, default_value_t = 10_000_000)]
    events_max: usize,
    /// A PGN file with games of people, for the figures of packed games; without it random games are packed, which take more.
    #[arg(long)]
    games: Option<PathBuf>,
    /// The folder of what we are compared with, installed by `scripts/bootstrap --bench`.
    #[arg(long, default_value = "bench/peers")]
    peers: PathBuf,
    /// Only these parts of game, separated by commas.
    #[arg(long, value_delimiter = ',')]
    parts: Vec<game::Part>,
    /// Rounds of which the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// For the program itself: a server that does nothing.
    #[arg(hide = true, num_args = 0..=2)]
    inner: Vec<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let [name, port] = arguments.inner.as_slice()
        && name == raw::BARE_SERVER
    {
        return raw::bare_server(port.parse()?).await;
    }
    let wanted = |name: &str| {
        let named: Vec<&String> = arguments.only.iter().filter(|only| !only.is_empty()).collect();
        named.is_empty() || named.iter().any(|only| *only == name)
    };
    // Only on games of people: made-up ones are decided early, and cost less.
    if wanted("fairplay")
        && let Some(games) = &arguments.games
    {
        fairplay::run(games).await?;
    }
    if wanted("game") {
        let extent = game::Extent {
            games: arguments.concurrent.max(1),
            games_large: arguments.concurrent_large.max(1),
            rounds: arguments.rounds.max(1),
            games_paced: 50,
            log_sizes: LOG_SIZES.into_iter().filter(|size| *size <= arguments.events_max).collect(),
            games_file: arguments.games,
            peers: arguments.peers,
            parts: arguments.parts,
        };
        game::run(&extent).await?;
    }
    if wanted("pairing") {
        pairing::run()?;
    }
    if wanted("wallet") {
        settlements::run(arguments.rounds.max(1)).await?;
    }
    if wanted("rating") {
        ratings::run(arguments.rounds.max(1)).await?;
    }
    Ok(())
}
