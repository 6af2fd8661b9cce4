//! What holds for any game and any interleaving.

use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::{Chess, Position};

use crate::pairs::{Command, Event, GAMES_PER_DAY_MAX, MatchId, PairDay, Relation, Standing};

const APART: Relation = Relation::Apart { taken_elsewhere: 0 };
use crate::*;

/// A legal game of up to `plies` plies that depends on `seed` only and goes all over the board.
pub(super) fn walk(plies: usize, seed: usize) -> PlayedGame {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for ply in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let chosen = legal[(seed + ply * 7919 + ply * ply * seed) % legal.len()];
        moves.push(chosen.to_uci(shakmaty::CastlingMode::Standard).to_string());
        position.play_unchecked(chosen);
    }
    PlayedGame::replay(&moves).expect("the moves were legal")
}

/// Four lines a position, with centipawns from the index of the position and the rank of the line, from 0.
pub(super) fn walk_evaluations(
    game: &PlayedGame,
    centipawns: impl Fn(usize, i32) -> i32,
) -> Vec<PlyEvaluation> {
    let at = |index: usize| {
        let legal = game.position(index).expect("within the game").legal_moves();
        let lines = legal.iter().zip(0..4).map(|(candidate, rank)| Candidate {
            uci: candidate.to_uci(shakmaty::CastlingMode::Standard).to_string(),
            score: match centipawns(index, rank) {
                mate if mate.abs() > 20_000 => Score::Mate(mate / 1_000),
                cp => Score::Cp(cp),
            },
        });
        PlyEvaluation { lines: lines.collect() }
    };
    (0..game.plies().len()).map(at).collect()
}

fn assert_percent(value: f64) {
    assert!((0.0..=100.0).contains(&value), "{value}");
}

fn check_side(side: &SideReport) {
    // FAIR-3
    assert_eq!(side.eligible_plies + side.exclusions.total(), side.plies);
    assert_eq!(side.exclusions.iter().map(|(_, count)| count).sum::<usize>(), side.exclusions.total());
    assert!(side.best_matches <= side.eligible_plies);
    // FAIR-1
    side.accuracy.into_iter().for_each(assert_percent);
    if let Some(loss) = side.mean_loss {
        assert_percent(loss.win_chance_points);
        assert!((0.0..=2000.0).contains(&loss.centipawns));
    }
    // FAIR-5
    assert!(side.level <= Level::Clean);
}

fn any_command() -> impl Strategy<Value = Command> {
    (0_u128..14, 0..3).prop_map(|(number, kind)| {
        let match_id = MatchId(number);
        match kind {
            0 => Command::Reserve { match_id, relation: APART },
            1 => Command::Count { match_id },
            _ => Command::Release { match_id },
        }
    })
}

proptest! {
    #[test]
    fn a_win_chance_is_bounded_symmetric_and_rising(cp in any::<i32>(), more in any::<i32>()) {
        assert_percent(win_chance(cp));
        prop_assert!((win_chance(cp) + win_chance(cp.saturating_neg()) - 100.0).abs() < 1e-9);
        let (low, high) = (cp.min(more), cp.max(more));
        prop_assert!(win_chance(low) <= win_chance(high));
    }

    #[test]
    fn an_accuracy_is_a_percentage(before in 0.0..=100.0_f64, after in 0.0..=100.0_f64) {
        assert_percent(move_accuracy(before, after));
    }

    #[test]
    fn a_game_accuracy_is_a_percentage_or_nothing(
        scores in vec(proptest::option::of(any::<i32>()), 0..120),
    ) {
        let positions: Vec<_> = scores.into_iter().map(|cp| cp.map(Evaluation::Centipawns)).collect();
        let accuracy = game_accuracy(Color::White, &positions);
        accuracy.into_iter().flatten().for_each(assert_percent);
    }

    #[test]
    fn a_report_holds_its_invariants_for_any_game(
        plies in 0_usize..90,
        seed in 0_usize..1000,
        scores in vec(-40_000..40_000_i32, 1..50),
    ) {
        let game = walk(plies, seed);
        let score = |index: usize, rank: i32| scores[(index * 4 + rank.unsigned_abs() as usize) % scores.len()];
        let report = report(&game, &walk_evaluations(&game, score)).expect("the evaluations fit");
        prop_assert_eq!(report.plies.len(), game.plies().len());
        check_side(&report.sides.white);
        check_side(&report.sides.black);
    }

    #[test]
    fn a_pair_has_six_at_most_and_keeps_its_answers_under_any_interleaving(
        commands in vec(any_command(), 0..200),
    ) {
        let mut day = PairDay::default();
        let mut events: Vec<Event> = Vec::new();
        for command in commands {
            let before = day.clone();
            if let Ok(Some(event)) = day.decide(command) {
                day.evolve(&event);
                events.push(event);
            }
            // PAIR-1
            prop_assert!(day.slots_taken() <= GAMES_PER_DAY_MAX);
            // PAIR-2: only a reservation moves on.
            for number in (0..14).map(MatchId) {
                let was = before.standing(number);
                let is_kept = was.is_none() || was == Some(Standing::Reserved) || was == day.standing(number);
                prop_assert!(is_kept, "{:?} became {:?}", was, day.standing(number));
            }
            // What was done once is not done again.
            prop_assert!(!matches!(day.decide(command), Ok(Some(_))));
        }
        prop_assert_eq!(PairDay::replay(&events), day);
    }

    #[test]
    fn exactly_six_of_many_reservations_hold_a_slot(
        numbers in vec(0_u128..1000, 30..250),
    ) {
        let mut day = PairDay::default();
        for &number in &numbers {
            if let Ok(Some(event)) = day.decide(Command::Reserve { match_id: MatchId(number), relation: APART }) {
                day.evolve(&event);
            }
        }
        let different = numbers.iter().collect::<std::collections::BTreeSet<_>>().len();
        prop_assert_eq!(day.slots_taken(), different.min(GAMES_PER_DAY_MAX));
    }
}
