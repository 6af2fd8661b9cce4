//! Properties over random games.

use domain_chess::{
    Color, Command, Event, Game, LagCredit, Misfit, Refusal, RuleSet, TimeControl, archive, decide,
    next_deadline_ms,
};
use proptest::prelude::*;

use crate::given::{Given, game};

/// Something that somebody does, with numbers that are made sense of when the game is at hand.
#[derive(Clone, Debug)]
enum Doing {
    Play { pick: usize, lag_ms: u32 },
    Wild { uci: String },
    Offer(bool),
    Accept(bool),
    Decline(bool),
    Claim(bool),
    Gone(bool),
    Back(bool),
    Timer { lag_ms: u32 },
    Resume { alive_for_ms: Option<i64> },
    Leave(bool),
    Resign(bool),
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        60 => (any::<usize>(), 0..2_000u32).prop_map(|(pick, lag_ms)| Doing::Play { pick, lag_ms }),
        3 => "[a-h][1-8][a-h][1-8][qrbnk]?".prop_map(|uci| Doing::Wild { uci }),
        3 => any::<bool>().prop_map(Doing::Offer),
        1 => any::<bool>().prop_map(Doing::Accept),
        3 => any::<bool>().prop_map(Doing::Decline),
        1 => any::<bool>().prop_map(Doing::Claim),
        2 => any::<bool>().prop_map(Doing::Gone),
        3 => any::<bool>().prop_map(Doing::Back),
        3 => (0..2_000u32).prop_map(|lag_ms| Doing::Timer { lag_ms }),
        2 => proptest::option::of(-5_000..50_000i64).prop_map(|alive_for_ms| Doing::Resume { alive_for_ms }),
        1 => any::<bool>().prop_map(Doing::Leave),
        1 => (0..10u8).prop_map(|chance| if chance == 0 { Doing::Resign(true) } else { Doing::Back(true) }),
    ]
}

fn command(game: &Game, doing: &Doing, now_ms: i64) -> Option<Command> {
    let by = Color::from_white;
    Some(match doing {
        Doing::Play { pick, lag_ms } => {
            let legal = game.legal_moves();
            let uci = *legal.get(pick.checked_rem(legal.len())?)?;
            Command::PlayMove {
                by: game.side_to_move(),
                uci,
                expected_ply: game.ply() + 1,
                now_ms,
                lag_ms: *lag_ms,
            }
        }
        Doing::Wild { uci } => {
            let uci = domain_chess::parse_uci(uci).ok()?;
            Command::PlayMove {
                by: game.side_to_move(),
                uci,
                expected_ply: game.ply() + 1,
                now_ms,
                lag_ms: 0,
            }
        }
        Doing::Offer(white) => Command::OfferDraw { by: by(*white), now_ms },
        Doing::Accept(white) => Command::AcceptDraw { by: by(*white), now_ms },
        Doing::Decline(white) => Command::DeclineDraw { by: by(*white), now_ms },
        Doing::Claim(white) => Command::ClaimDraw { by: by(*white), now_ms },
        Doing::Gone(white) => Command::PlayerGone { by: by(*white), now_ms },
        Doing::Back(white) => Command::PlayerBack { by: by(*white), now_ms },
        Doing::Timer { lag_ms } => Command::TimerFired { now_ms, lag_ms: *lag_ms },
        Doing::Resume { alive_for_ms } => {
            Command::Resume { now_ms, alive_until_ms: alive_for_ms.map(|ms| game.last_event_at_ms() + ms) }
        }
        Doing::Leave(white) => Command::LeaveTable { by: by(*white), now_ms },
        Doing::Resign(white) => Command::Resign { by: by(*white), now_ms },
    })
}

fn any_game() -> impl Strategy<Value = Given> {
    let mut credited = RuleSet::friendly();
    credited.lag_credit = Some(LagCredit::STANDARD);
    let blitz = Some(TimeControl::new(180_000, 2_000));
    prop_oneof![
        Just((RuleSet::city(), blitz)),
        Just((RuleSet::table(), blitz)),
        Just((RuleSet::table(), None)),
        Just((RuleSet::fide(), Some(TimeControl::new(30_000, 1_000)))),
        Just((credited, Some(TimeControl::new(60_000, 0)))),
        Just((RuleSet::solo(), None)),
    ]
    .prop_map(|(rules, control)| game(rules, control))
}

/// What both clocks may show at most: base and an increment for each own move.
fn hold_the_clocks(given: &Given) -> Result<(), TestCaseError> {
    let Some((clocks, control)) = given.game.clocks().zip(given.game.time_control()) else { return Ok(()) };
    let moves = given.game.moves_made();
    for color in Color::ALL {
        let most_ms =
            i64::from(control.base_ms) + i64::from(control.increment_ms) * i64::from(*moves.get(color));
        prop_assert!((0..=most_ms).contains(&clocks[color]), "{:?} after {:?}", clocks, moves);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// CHESS-1 to CHESS-7: `Given::attempt` replays the log after every command.
    #[test]
    fn whatever_comes_the_log_replays_clocks_stay_in_bounds_and_a_game_ends_once(
        mut given in any_game(),
        doings in proptest::collection::vec((doing(), 0..4_000i64), 1..120),
    ) {
        for (doing, after_ms) in doings {
            given.now_ms += after_ms;
            let Some(command) = command(&given.game, &doing, given.now_ms) else { continue };
            let over = given.game.end().is_some();
            let ply = given.game.ply();
            let decided = given.attempt(command);
            if over {
                prop_assert_eq!(decided, Err(Refusal::GameOver));
            } else if let Ok(events) = decided {
                prop_assert!(events.len() <= 2);
                for event in &events {
                    if let Event::MovePlayed(played) = event {
                        prop_assert_eq!(played.ply, ply + 1);
                        prop_assert!(played.charged_ms >= 0 && played.lag_credit_ms >= 0);
                        prop_assert!(played.lag_credit_ms <= 1_000 && played.lag_credit_ms <= played.elapsed_ms);
                    }
                }
            }
            hold_the_clocks(&given)?;
        }
        let packed = archive::pack(&given.events).expect("one game");
        let Event::Started(started) = &given.events[0] else { unreachable!("a game begins with its start") };
        prop_assert_eq!(archive::unpack(started, &packed), Ok(given.events.clone()));
        let ends = given.events.iter().filter(|event| matches!(event, Event::Ended(_))).count();
        prop_assert_eq!(ends, usize::from(given.game.end().is_some()));
    }

    /// CHESS-5: at its deadline a game ends, and not an instant before.
    #[test]
    fn a_game_ends_at_its_deadline_and_not_before(
        mut given in any_game(),
        picks in proptest::collection::vec((any::<usize>(), 0..10_000i64), 0..40),
        lag_ms in 0..2_000u32,
    ) {
        for (pick, after_ms) in picks {
            given.now_ms += after_ms;
            if let Some(play) = command(&given.game, &Doing::Play { pick, lag_ms }, given.now_ms) {
                given.attempt(play).expect("a legal move");
            }
        }
        if let Some(deadline_ms) = next_deadline_ms(&given.game, lag_ms) {
            let early = Command::TimerFired { now_ms: deadline_ms - 1, lag_ms };
            prop_assert_eq!(decide(&given.game, &early), Ok(vec![]));
            let due = decide(&given.game, &Command::TimerFired { now_ms: deadline_ms, lag_ms });
            let late = decide(&given.game, &Command::TimerFired { now_ms: deadline_ms + 12_345, lag_ms });
            prop_assert!(matches!(due.as_deref(), Ok([Event::Ended(_)])));
            prop_assert_eq!(due, late);
        }
    }

    /// A damaged log is told, never believed and never a panic.
    #[test]
    fn a_log_with_a_missing_or_doubled_move_does_not_fit(
        picks in proptest::collection::vec(any::<usize>(), 4..30),
        at in any::<proptest::sample::Index>(),
        doubled in any::<bool>(),
    ) {
        let mut given = game(RuleSet::friendly(), None);
        for pick in picks {
            if let Some(play) = command(&given.game, &Doing::Play { pick, lag_ms: 0 }, 1_000) {
                given.attempt(play).expect("a legal move");
            }
        }
        let mut damaged = given.events.clone();
        // The last event may go missing without anybody being able to tell.
        let index = at.index(damaged.len() - 1);
        if doubled {
            damaged.insert(index, damaged[index].clone());
        } else {
            damaged.remove(index);
        }
        let misfit = Game::replay(&damaged).err();
        let told = matches!(misfit, Some(Misfit::BeforeStart | Misfit::SecondStart | Misfit::WrongPly { .. }));
        prop_assert!(told, "{:?}", misfit);
    }

    /// Text from outside never panics.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,24}") {
        let _ = domain_chess::parse_uci(&text);
        let _ = domain_chess::StartPosition::from_fen(&text);
        let start = domain_chess::StartPosition::default();
        let _ = domain_chess::read_san(start.position(), &text);
        let _ = domain_chess::pgn_import::Games::new(text.as_bytes()).count();
    }

    /// Bytes from outside never panic, whatever they claim to be.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), format in 0x20..0x25u8) {
        let given = game(RuleSet::city(), Some(TimeControl::new(180_000, 2_000)));
        let Event::Started(started) = &given.events[0] else { unreachable!("a game begins with its start") };
        let _ = archive::unpack(started, &bytes);
        let _ = archive::unpack(started, &[&[format], bytes.as_slice()].concat());
        let _ = domain_chess::pgn_import::Games::new(bytes.as_slice()).count();
    }

    /// Every legal move's SAN is read back as that move.
    #[test]
    fn san_is_read_back(picks in proptest::collection::vec(any::<usize>(), 1..80)) {
        let mut given = game(RuleSet::friendly(), None);
        for pick in picks {
            let position = given.game.position().clone();
            if let Some(play) = command(&given.game, &Doing::Play { pick, lag_ms: 0 }, 1_000) {
                given.attempt(play).expect("a legal move");
                let played = given.last_move();
                let read = domain_chess::read_san(&position, &played.san.to_string());
                prop_assert_eq!(read.map(domain_chess::UciMove::from_standard), Some(played.uci));
            }
        }
    }
}
