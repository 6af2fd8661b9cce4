use super::*;

const ANNA: Uuid = Uuid::from_u128(1);

const INPUTS: [Input; 10] = [
    Input::Paired,
    Input::PairingReserved,
    Input::PairingRefused,
    Input::StakesHeld,
    Input::StakesRefused { player: Some(ANNA), cause: StakesRefusal::InsufficientFunds },
    Input::StakesRefused { player: None, cause: StakesRefusal::Other },
    Input::PlayerLeft { player: ANNA },
    Input::TimedOut,
    Input::GameStarted,
    Input::GameOver,
];

fn run(inputs: &[Input]) -> Vec<Phase> {
    let mut phase = Phase::Absent;
    let mut phases = Vec::new();
    for input in inputs {
        if let Next::Take(step) = decide(phase, *input) {
            phase = step.leads_to();
            phases.push(phase);
        }
    }
    phases
}

#[test]
fn the_straight_way_leads_to_a_game_and_closes_with_it() {
    let phases =
        run(&[Input::Paired, Input::PairingReserved, Input::StakesHeld, Input::GameStarted, Input::GameOver]);
    assert_eq!(
        phases,
        [Phase::Proposed, Phase::StakesRequested, Phase::Confirmed, Phase::Started, Phase::Closed]
    );
}

#[test]
fn a_refused_pair_cancels_with_the_named_reason() {
    let next = decide(Phase::Proposed, Input::PairingRefused);
    assert_eq!(next, Next::Take(Step::Cancel { reason: CancelReason::PairLimitReached, player: None }));
}

// MATCH-1: what was decided is never decided again.
#[test]
fn an_input_that_comes_twice_changes_nothing_the_second_time() {
    for first in INPUTS {
        for phase in all_phases() {
            let Next::Take(step) = decide(phase, first) else {
                continue;
            };
            assert!(
                !matches!(decide(step.leads_to(), first), Next::Take(_)),
                "{first:?} was taken twice from {phase:?}"
            );
        }
    }
}

// MATCH-2: a cancelled or closed match stays so.
#[test]
fn nothing_wakes_a_match_that_is_over() {
    for phase in [Phase::Cancelled, Phase::Closed] {
        for input in INPUTS {
            assert_eq!(decide(phase, input), Next::Nothing);
        }
    }
}

// MATCH-3: after the confirmation only the game decides.
#[test]
fn a_confirmed_match_is_not_left_or_timed_out() {
    for phase in [Phase::Confirmed, Phase::Started] {
        for input in [Input::PlayerLeft { player: ANNA }, Input::TimedOut] {
            assert_eq!(decide(phase, input), Next::Nothing);
        }
    }
}

// MATCH-4: the game is asked for only when both stakes are held, so no order of inputs confirms without `StakesHeld`.
#[test]
fn every_order_of_four_inputs_ends_in_a_known_state_and_confirms_only_with_stakes_held() {
    for a in INPUTS {
        for b in INPUTS {
            for c in INPUTS {
                for d in INPUTS {
                    let inputs = [Input::Paired, a, b, c, d];
                    let phases = run(&inputs);
                    if phases.contains(&Phase::Confirmed) {
                        assert!(inputs.contains(&Input::StakesHeld));
                        assert!(inputs.contains(&Input::PairingReserved));
                    }
                    let cancelled = phases.contains(&Phase::Cancelled);
                    assert!(!(cancelled && phases.contains(&Phase::Confirmed)));
                }
            }
        }
    }
}

#[test]
fn a_game_that_ends_before_its_start_was_seen_closes_the_match() {
    assert_eq!(decide(Phase::Confirmed, Input::GameOver), Next::Take(Step::Close));
    assert_eq!(decide(Phase::Closed, Input::GameStarted), Next::Nothing);
}

#[test]
fn an_answer_that_overtakes_its_question_is_to_be_tried_again() {
    assert_eq!(decide(Phase::Proposed, Input::StakesHeld), Next::Early);
    assert_eq!(decide(Phase::Absent, Input::PairingReserved), Next::Early);
}

fn all_phases() -> [Phase; 7] {
    [
        Phase::Absent,
        Phase::Proposed,
        Phase::StakesRequested,
        Phase::Confirmed,
        Phase::Started,
        Phase::Closed,
        Phase::Cancelled,
    ]
}
