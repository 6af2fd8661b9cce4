//! Whole stories of a few players: random games, voided games and corrections, and what must be true of all of them.

use std::collections::{BTreeMap, HashMap};

use domain_glicko::{POOLS, Pair, Pool, Score};
use proptest::prelude::*;
use uuid::Uuid;

use super::book::{Change, PoolBook};
use super::correction::{Correction, CorrectionKind, Ruling};
use super::ended_game::{EndedGame, GameId, GameParts, PlayerId};
use super::game_record::{GameRecord, Refusal};
use super::log_check::LogCheck;
use super::rate_game::Standing;
use super::rebuild::{Difference, Replay, Waiting};
use super::recomputation::{Recomputation, Step, StepKind, StepPlayer};

const PLAYERS: u128 = 5;
const HOUR_MS: i64 = 3_600_000;

/// What happens next. A game is named by how many games ago it was.
#[derive(Debug, Clone)]
enum Act {
    Play { pool: usize, white: u128, black: u128, score: Score, hours: i64 },
    Void { back: usize },
    Adjust { back: usize, white: bool, points: f64 },
}

fn act() -> impl Strategy<Value = Act> {
    let score = prop_oneof![Just(Score::Win), Just(Score::Draw), Just(Score::Loss)];
    let play = (0..POOLS.len(), 0..PLAYERS, 1..PLAYERS, score, -2_i64..200).prop_map(
        |(pool, white, step, score, hours)| Act::Play {
            pool,
            white,
            black: (white + step) % PLAYERS,
            score,
            hours,
        },
    );
    prop_oneof![
        8 => play,
        1 => (0..8_usize).prop_map(|back| Act::Void { back }),
        1 => (0..8_usize, any::<bool>(), -50.0..50.0_f64)
            .prop_map(|(back, white, points)| Act::Adjust { back, white, points }),
    ]
}

/// What came of a story.
#[derive(Default)]
struct Story {
    books: BTreeMap<&'static str, PoolBook>,
    records: Vec<GameRecord>,
    changes: Vec<Change>,
    now_ms: i64,
}

impl Story {
    fn of(acts: &[Act]) -> Self {
        let mut story = Self::default();
        for act in acts {
            story.perform(act);
        }
        story
    }

    fn perform(&mut self, act: &Act) {
        match act {
            Act::Play { pool, white, black, score, hours } => {
                self.now_ms = (self.now_ms + hours * HOUR_MS).max(0);
                let game = EndedGame::new(GameParts {
                    // Later games get smaller ids, so that the order of the log is the worst there is.
                    game_id: GameId(Uuid::from_u128(u128::MAX - self.records.len() as u128)),
                    pool: POOLS[*pool],
                    players: Pair { white: player(*white), black: player(*black) },
                    white_score: *score,
                    ended_at_ms: self.now_ms,
                })
                .expect("two players");
                let rated = self.book(POOLS[*pool]).rate(game);
                self.records.push(GameRecord::new(rated));
                self.changes.push(Change::Game(rated));
            }
            Act::Void { back } => {
                if let Some(at) = self.records.len().checked_sub(back + 1)
                    && let Ok(adjustments) = self.records[at].void()
                {
                    self.correct(at, CorrectionKind::Voided, adjustments);
                }
            }
            Act::Adjust { back, white, points } => {
                if let Some(at) = self.records.len().checked_sub(back + 1) {
                    let players = self.records[at].rated().game.players();
                    let player = if *white { players.white } else { players.black };
                    if let Ok(adjustments) = self.records[at].adjust(player, *points) {
                        self.correct(at, CorrectionKind::Adjusted, adjustments);
                    }
                }
            }
        }
    }

    fn correct(&mut self, at: usize, kind: CorrectionKind, adjustments: Vec<super::correction::Adjustment>) {
        let game = self.records[at].rated().game;
        let ruling = Ruling {
            actor_id: Uuid::from_u128(1),
            request_id: Uuid::from_u128(2),
            reason: "for the test".to_owned(),
            at_ms: self.now_ms,
        };
        let correction = Correction { game_id: game.game_id(), pool: game.pool(), kind, adjustments, ruling };
        let made = self.book(game.pool()).correct(correction);
        self.records[at].corrected(made.clone());
        self.changes.push(Change::Correction(made));
    }

    fn book(&mut self, pool: Pool) -> &mut PoolBook {
        self.books.entry(pool.id).or_insert_with(|| PoolBook::new(pool, 0))
    }

    /// The changes as the log gives them: stream by stream, in the order of the games' ids.
    fn log(&self) -> Vec<(i64, Change)> {
        let mut streams: BTreeMap<Uuid, Vec<Change>> = BTreeMap::new();
        for change in &self.changes {
            streams.entry(change.game_id().0).or_default().push(change.clone());
        }
        streams.into_values().flat_map(|stream| (1..).zip(stream)).collect()
    }

    fn steps(&self, pool: Pool) -> Vec<Step> {
        self.changes.iter().filter(|change| change.pool() == pool).map(step).collect()
    }
}

fn player(number: u128) -> PlayerId {
    PlayerId(Uuid::from_u128(100 + number))
}

fn step(change: &Change) -> Step {
    let (kind, players) = match change {
        Change::Game(rated) => {
            let (players, changes) = (rated.game.players(), &rated.changes);
            let kind =
                StepKind::Game { score: rated.game.white_score(), ended_at_ms: rated.game.ended_at_ms() };
            let one = |player, before: Standing, after: Standing| StepPlayer {
                player,
                before,
                after: after.rating,
            };
            let white = one(players.white, changes.white.before, changes.white.after);
            let black = one(players.black, changes.black.before, changes.black.after);
            (kind, vec![white, black])
        }
        Change::Correction(made) => {
            let players = made.players.iter().map(|one| StepPlayer {
                player: one.adjustment.player,
                before: one.before,
                after: one.after.rating,
            });
            (StepKind::Correction, players.collect())
        }
    };
    Step { game_id: change.game_id(), kind, players }
}

/// A rating bit for bit, with its games and the time of the last.
type RatingBits = ([u64; 3], u32, Option<i64>);

fn bits(books: &[PoolBook]) -> BTreeMap<(&'static str, PlayerId), RatingBits> {
    books
        .iter()
        .flat_map(|book| {
            let pool = book.pool().id;
            book.standings().map(move |(player, one)| {
                ((pool, player), (one.rating.bits(), one.games, one.last_game_at_ms))
            })
        })
        .collect()
}

fn replayed(log: Vec<(i64, Change)>) -> Result<Replay, Difference> {
    let (mut replay, mut waiting, mut check) = (Replay::default(), Waiting::default(), LogCheck::default());
    for (version, change) in log {
        check.look(version, &change)?;
        let pool = change.pool();
        let mut next = waiting.offer(change, &replay)?;
        while let Some(change) = next {
            replay.apply(&change)?;
            next = waiting.next(pool, &replay);
        }
    }
    for change in waiting.take() {
        replay.apply(&change)?;
    }
    Ok(replay)
}

proptest! {
    /// RATING-4, D12
    #[test]
    fn the_log_gives_every_rating_to_the_bit_however_its_streams_are_ordered(
        acts in prop::collection::vec(act(), 1..80),
    ) {
        let story = Story::of(&acts);
        let replay = replayed(story.log()).expect("the log gives what it says");
        let books: Vec<PoolBook> = story.books.into_values().collect();
        prop_assert_eq!(bits(replay.books()), bits(&books));
        prop_assert_eq!(replay.changes(), story.changes.len() as u64);
    }

    /// D16, RATING-6
    #[test]
    fn the_start_and_all_signed_differences_add_up_to_the_rating(acts in prop::collection::vec(act(), 1..80)) {
        let story = Story::of(&acts);
        let mut sums: HashMap<(&'static str, PlayerId), f64> = HashMap::new();
        for change in &story.changes {
            for one in step(change).players {
                let fresh = Standing::fresh(change.pool()).rating.raw().rating;
                let sum = sums.entry((change.pool().id, one.player)).or_insert(fresh);
                *sum += one.after.raw().rating - one.before.rating.raw().rating;
            }
        }
        for book in story.books.values() {
            for (player, standing) in book.standings() {
                let sum = sums[&(book.pool().id, player)];
                prop_assert!((standing.rating.raw().rating - sum).abs() < 1e-6);
            }
        }
    }

    /// RATING-1: what a game came to, with everything that was corrected because of it, is nothing once it is voided.
    #[test]
    fn a_voided_game_has_given_and_taken_nothing(acts in prop::collection::vec(act(), 1..80)) {
        let story = Story::of(&acts);
        for record in &story.records {
            if record.void() != Err(Refusal::Voided) {
                continue;
            }
            let mut sums: HashMap<PlayerId, f64> = HashMap::new();
            for change in story.changes.iter().filter(|one| one.game_id() == record.rated().game.game_id()) {
                for one in step(change).players {
                    *sums.entry(one.player).or_default() += one.after.raw().rating - one.before.rating.raw().rating;
                }
            }
            prop_assert!(sums.values().all(|sum| sum.abs() < 1e-6), "{:?}", sums);
        }
    }

    /// RATING-8: following only those who differ gives what playing everything again without the game gives.
    #[test]
    fn a_recomputation_gives_what_a_world_without_the_game_gives(
        acts in prop::collection::vec(act(), 2..60), at in any::<prop::sample::Index>(),
    ) {
        let story = Story::of(&acts);
        prop_assume!(!story.records.is_empty());
        let left_out = story.records[at.index(story.records.len())].rated().game;
        let pool = left_out.pool();
        let steps = story.steps(pool);
        let first = steps.iter().position(|step| step.game_id == left_out.game_id()).expect("it was rated");
        let mut recomputation = Recomputation::without(&steps[first]);
        for step in &steps[first + 1..] {
            recomputation.follow(step);
        }
        // The same games without it; points of corrections as they were given.
        let mut other = PoolBook::new(pool, 0);
        for change in story.changes.iter().filter(|change| change.pool() == pool) {
            match change {
                _ if change.game_id() == left_out.game_id() => {}
                Change::Game(rated) => {
                    other.rate(rated.game);
                }
                Change::Correction(made) => {
                    let mut correction = made.correction.clone();
                    for (adjustment, one) in correction.adjustments.iter_mut().zip(&made.players) {
                        adjustment.points = one.moved();
                    }
                    other.correct(correction);
                }
            }
        }
        let book = &story.books[pool.id];
        let others: HashMap<PlayerId, Standing> = other.standings().map(|(id, one)| (id, *one)).collect();
        let mut expected: BTreeMap<PlayerId, ([u64; 3], [u64; 3])> = BTreeMap::new();
        for (player, stored) in book.standings() {
            let without = others.get(&player).copied().unwrap_or(Standing::fresh(pool));
            if without.rating.bits() != stored.rating.bits() {
                expected.insert(player, (stored.rating.bits(), without.rating.bits()));
            }
        }
        let changed = recomputation.changed();
        let found: BTreeMap<PlayerId, ([u64; 3], [u64; 3])> = changed
            .iter()
            .map(|one| (one.player, (one.stored.bits(), one.recomputed.rating.bits())))
            .collect();
        prop_assert_eq!(found, expected);
    }
}

fn short_story() -> Story {
    let play = |white, black| Act::Play { pool: 0, white, black, score: Score::Win, hours: 30 };
    Story::of(&[play(0, 1), play(1, 2), play(0, 2), Act::Void { back: 1 }, play(2, 0)])
}

#[test]
fn a_void_that_takes_back_something_else_than_was_given_is_found_in_the_log() {
    let mut log = short_story().log();
    for (_, change) in &mut log {
        if let Change::Correction(made) = change {
            made.correction.adjustments[0].points += 1.0;
        }
    }
    assert!(matches!(replayed(log), Err(Difference::Stream(_))));
}

#[test]
fn a_change_that_is_missing_comes_twice_or_stands_elsewhere_is_found_in_the_log() {
    let story = short_story();
    let mut missing = story.log();
    missing.retain(|(_, change)| change.sequence() != 2 || matches!(change, Change::Correction(_)));
    assert!(replayed(missing).is_err());
    let mut twice = story.log();
    let first = twice[0].clone();
    twice.insert(1, first);
    assert!(matches!(replayed(twice), Err(Difference::Sequence { .. })));
    let mut second = story.log();
    second[0].0 = 2;
    assert!(matches!(replayed(second), Err(Difference::Stream(_))));
}

#[test]
fn nobody_else_gets_points_because_of_a_game_and_a_voided_one_gives_none() {
    let story = short_story();
    assert_eq!(story.records[0].adjust(player(4), 5.0), Err(Refusal::NotAPlayer));
    assert_eq!(story.records[1].adjust(player(1), 5.0), Err(Refusal::Voided));
    assert_eq!(story.records[1].void(), Err(Refusal::Voided));
    assert!(story.records[0].adjust(player(1), 5.0).is_ok());
}
