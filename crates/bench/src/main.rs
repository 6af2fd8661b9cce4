//! `stakemate-bench`: what `make bench` runs.

use clap::Parser;

use bench::{fairplay, game, raw};

/// Measures, and prints one JSON line a figure.
#[derive(Debug, Parser)]
#[command(name = "stakemate-bench")]
struct Arguments {
    /// Only these, separated by commas; all when empty.
    #[arg(long, default_value = "", value_delimiter = ',')]
    only: Vec<String>,
    /// The largest log that is made.
    #[arg(long, default_value_t = 10_000_000)]
    events_max: usize,
    /// A PGN file with games of people, for the figures of packed games.
    #[arg(long)]
    games: Option<std::path::PathBuf>,
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
        let mut extent = game::Extent {
            rounds: arguments.rounds.max(1),
            games_file: arguments.games,
            ..game::Extent::default()
        };
        extent.log_sizes.retain(|size| *size <= arguments.events_max);
        game::run(&extent).await?;
    }
    Ok(())
}
