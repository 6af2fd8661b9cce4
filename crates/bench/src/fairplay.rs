//! P15: what the analysis of a game costs, by the service's own code on games of people.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fairplay::app::analysis::{FinishedGame, analyse};
use fairplay::app::asking::Memory;
use fairplay::app::record;
use fairplay::app::settings::{MULTI_PV, SearchSettings, nodes};
use uci::{EngineConfig, Pool};

use crate::figure::{Figure, Goal, quantile};

/// Games that are analysed.
const GAMES: usize = 10;
/// The game that the budget is for.
const PLIES: f64 = 86.0;
const BUDGET_S: f64 = 5.0;
/// Shorter games are passed over: what an engine needs to start is not what is measured.
const PLIES_MIN: usize = 40;

/// Analyses games of a PGN file as the first pass does, each with nothing remembered of the others.
///
/// # Errors
/// When there is no engine, or no game.
pub async fn run(games_file: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(games_file).with_context(|| games_file.display().to_string())?;
    let games: Vec<FinishedGame> = split(&text)
        .filter_map(|game| record::read(game).ok())
        .filter(|game| game.moves.len() >= PLIES_MIN)
        .take(GAMES)
        .collect();
    ensure!(!games.is_empty(), "no game of {} can be read", games_file.display());
    let program = uci::find_program("stockfish").context("there is no stockfish")?;
    let calibration = calibration::file::bundled();
    let search = SearchSettings { nodes: nodes(), multi_pv: MULTI_PV };
    let engines = Pool::start(EngineConfig::new(program), 1).await?;
    let (mut of_budget_s, mut used, mut plies) = (Vec::new(), Duration::ZERO, 0);
    for game in &games {
        let analysed = analyse(&engines, search, &calibration, game, Memory::None).await?;
        let seconds = analysed.engine_time.as_secs_f64();
        of_budget_s.push(seconds * PLIES / game.moves.len() as f64);
        used += analysed.engine_time;
        plies += game.moves.len();
    }
    engines.close();
    let n = games.len();
    let figure =
        |name: &str, value, goal| Figure { id: "P15", name: name.to_owned(), value, unit: "CPU s", goal, n };
    let mean = used.as_secs_f64() * PLIES / plies as f64;
    figure("engine, first pass, a game of 86 plies: mean", mean, Goal::AtMost(BUDGET_S)).print();
    let slowest = quantile(&mut of_budget_s, 1.0);
    figure("engine, first pass, a game of 86 plies: slowest", slowest, Goal::AtMost(BUDGET_S)).print();
    Ok(())
}

/// The games of a file: each begins with its event.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| &text[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_games() {
        let text = "[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 d5 *\n";
        let plies: Vec<usize> =
            split(text).map(|game| record::read(game).expect("a game").moves.len()).collect();
        assert_eq!(plies, [1, 2]);
        assert_eq!(split("").count(), 0);
    }
}
