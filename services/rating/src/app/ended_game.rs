//! A game that ended, as far as ratings are concerned.

use domain_glicko::{Pair, Pool, Score};
use uuid::Uuid;

/// A player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(pub Uuid);

/// A game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub Uuid);

const MINUTE_MS: i64 = 60_000;
const SECOND_MS: i64 = 1_000;

/// A chess clock: time at the start and what each move adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControl {
    /// At the start.
    pub base_ms: i64,
    /// After each move.
    pub increment_ms: i64,
}

/// The rule set of staked games.
pub const STAKED_RULE_SET: &str = "city";

/// The pool in which games of this rule set and clock count, if there is one. A clock is called after its whole minutes and
/// seconds; another one has no name, and no pool that asks for one.
#[must_use]
pub fn pool_of(rule_set: &str, control: Option<TimeControl>) -> Option<Pool> {
    let clock = control.and_then(|control| {
        let is_whole = control.base_ms % MINUTE_MS == 0 && control.increment_ms % SECOND_MS == 0;
        is_whole.then(|| format!("{}+{}", control.base_ms / MINUTE_MS, control.increment_ms / SECOND_MS))
    });
    Pool::of_game(rule_set, clock.as_deref())
}

/// A game with a result, between two different players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndedGame {
    game_id: GameId,
    pool: Pool,
    players: Pair<PlayerId>,
    white_score: Score,
    ended_at_ms: i64,
}

/// What a game is made of before it is checked.
#[derive(Debug, Clone, Copy)]
pub struct GameParts {
    /// Which game.
    pub game_id: GameId,
    /// Where it counts.
    pub pool: Pool,
    /// Who played it.
    pub players: Pair<PlayerId>,
    /// What White scored.
    pub white_score: Score,
    /// When it ended, since the Unix epoch.
    pub ended_at_ms: i64,
}

/// Both seats were taken by the same player, which no rating can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("both players of the game are the same")]
pub struct PlayedAlone;

impl EndedGame {
    /// Checks that two different players met.
    ///
    /// # Errors
    /// When they are the same.
    pub fn new(parts: GameParts) -> Result<Self, PlayedAlone> {
        if parts.players.white == parts.players.black {
            return Err(PlayedAlone);
        }
        Ok(Self {
            game_id: parts.game_id,
            pool: parts.pool,
            players: parts.players,
            white_score: parts.white_score,
            ended_at_ms: parts.ended_at_ms,
        })
    }

    /// Which game.
    #[must_use]
    pub fn game_id(&self) -> GameId {
        self.game_id
    }

    /// Where it counts.
    #[must_use]
    pub fn pool(&self) -> Pool {
        self.pool
    }

    /// Who played it; two different players.
    #[must_use]
    pub fn players(&self) -> Pair<PlayerId> {
        self.players
    }

    /// What White scored.
    #[must_use]
    pub fn white_score(&self) -> Score {
        self.white_score
    }

    /// When it ended, since the Unix epoch.
    #[must_use]
    pub fn ended_at_ms(&self) -> i64 {
        self.ended_at_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_staked_clocks_have_a_pool_and_no_other_has() {
        let name = |base_ms, increment_ms| {
            pool_of(STAKED_RULE_SET, Some(TimeControl { base_ms, increment_ms })).map(|pool| pool.id)
        };
        assert_eq!(name(180_000, 2_000), Some("3+2"));
        assert_eq!(name(300_000, 0), Some("5+0"));
        assert_eq!(name(600_000, 0), Some("10+0"));
        for (base_ms, increment_ms) in [(180_000, 0), (180_001, 2_000), (180_000, 2_500), (0, 0)] {
            assert_eq!(name(base_ms, increment_ms), None);
        }
        assert_eq!(pool_of(STAKED_RULE_SET, None), None);
    }

    #[test]
    fn the_house_tables_have_one_pool_whatever_the_clock_and_friendly_games_have_none() {
        let odd = Some(TimeControl { base_ms: 1_234, increment_ms: 5 });
        for control in [None, odd] {
            assert_eq!(pool_of("table", control).map(|pool| pool.id), Some("table"));
            assert_eq!(pool_of("match", control), None);
        }
    }

    #[test]
    fn nobody_is_rated_against_himself() {
        let alone = PlayerId(Uuid::from_u128(7));
        let game = EndedGame::new(GameParts {
            game_id: GameId(Uuid::from_u128(1)),
            pool: Pool::find("3+2").expect("3+2 is a pool"),
            players: Pair { white: alone, black: alone },
            white_score: Score::Win,
            ended_at_ms: 0,
        });
        assert_eq!(game, Err(PlayedAlone));
    }
}
