//! The metrics of the rating service. Labels are names of pools and outcomes, never ids.

use metrics::describe_counter;

/// Games with a result, by pool and by outcome: `rated`, `repeated` or `unrated`.
pub const GAMES: &str = "rating_games_total";

/// Registers the descriptions; calling it again changes nothing.
pub fn describe() {
    describe_counter!(GAMES, "games with a result, by pool and outcome");
}
