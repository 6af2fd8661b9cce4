//! What is read from games in Portable Game Notation: tags and clocks. The moves come with the evaluations.

use domain_fairplay::timing;

use crate::dataset;

/// A game's tags and its clocks after each ply.
#[derive(Debug, Clone, PartialEq)]
pub struct Clocked {
    /// The event.
    pub event: String,
    /// The clock as the game has it, if any.
    pub time_control: String,
    /// Seconds left after each ply that has a clock.
    pub clocks: Vec<f64>,
}

/// Reads games, each beginning with its `Event` tag.
#[must_use]
pub fn read(text: &str) -> Vec<Clocked> {
    let mut games: Vec<Clocked> = Vec::new();
    for line in text.lines() {
        if let Some(event) = tag(line, "Event") {
            games.push(Clocked { event: event.to_owned(), time_control: String::new(), clocks: Vec::new() });
        }
        let Some(game) = games.last_mut() else { continue };
        if let Some(time_control) = tag(line, "TimeControl") {
            time_control.clone_into(&mut game.time_control);
        }
        game.clocks.extend(line.split("[%clk ").skip(1).filter_map(clock_seconds));
    }
    games
}

/// The variation of thinking times of both sides, where it can be told: see [`timing::variation`].
#[must_use]
pub fn variations(game: &Clocked) -> Vec<f64> {
    let Some(clock) = dataset::clock(&game.time_control) else { return Vec::new() };
    let clocks: Vec<Option<f64>> = game.clocks.iter().copied().map(Some).collect();
    let seconds = dataset::seconds(clock, &clocks);
    let side =
        |first: usize| -> Vec<f64> { seconds.iter().skip(first).step_by(2).copied().flatten().collect() };
    [side(0), side(1)]
        .iter()
        .filter(|times| times.len() >= timing::TIMED_MOVES_MIN && timing::is_plausible(times))
        .filter_map(|times| timing::variation(times))
        .collect()
}

fn tag<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(" \"")?.strip_suffix("\"]")
}

/// `0:04:55]…` in seconds.
fn clock_seconds(text: &str) -> Option<f64> {
    let (clock, _) = text.split_once(']')?;
    clock.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + part.trim().parse::<f64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_tags_are_read_and_frozen_clocks_say_nothing() {
        let moves: String =
            (0..40).map(|ply| format!("{{ [%clk 0:0{}:5{}] }} ", 9 - ply / 8, 9 - ply % 8)).collect();
        let text =
            format!("[Event \"blitz\"]\n[TimeControl \"600+0\"]\n\n1. e4 {moves}\n\n[Event \"other\"]\n");
        let games = read(&text);
        assert_eq!((games.len(), games[0].clocks.len()), (2, 40));
        assert!((games[0].clocks[0] - 599.0).abs() < 1e-9);
        assert_eq!(variations(&games[0]).len(), 2);
        assert!(variations(&games[1]).is_empty());
        let frozen = Clocked { clocks: vec![300.0; 60], ..games[0].clone() };
        assert!(variations(&frozen).is_empty());
    }
}
