//! Clocks, network delay, first moves, and stops of the server.

use domain_chess::{
    Color, Command, EndReason, Event, LagCredit, LagMeter, Outcome, Refusal, RuleSet, TimeControl,
    next_deadline_ms,
};

use crate::given::{BLITZ, Given, city, game, scaled, was_played};

const FLAGGED_WHITE: Option<(Outcome, EndReason)> = Some((Outcome::BlackWins, EndReason::Time));
const NO_FIRST_MOVE: Option<(Outcome, EndReason)> = Some((Outcome::Aborted, EndReason::AbortedNoFirstMove));

fn friendly(base_ms: u32, increment_ms: u32) -> Given {
    game(RuleSet::friendly(), Some(TimeControl::new(base_ms, increment_ms)))
}

fn with_credit(control: TimeControl) -> Given {
    let mut rules = RuleSet::friendly();
    rules.lag_credit = Some(LagCredit::STANDARD);
    game(rules, Some(control))
}

#[test]
fn a_move_within_the_last_instant_stands_and_one_after_it_loses_to_the_mover() {
    // B01
    for late_ms in -5..=5 {
        let mut given = friendly(300, 0);
        let events = given.after_ms(300 + late_ms).play("e2e4");
        if late_ms < 0 {
            assert!(was_played(&events));
            assert_eq!((given.end(), given.clocks().white_ms), (None, -late_ms));
            assert_eq!(given.game.clock_running(), Some(Color::Black));
        } else {
            assert!(!was_played(&events));
            assert_eq!(given.end(), FLAGGED_WHITE);
            assert_eq!(given.clocks().white_ms, 0);
        }
        assert!(given.events.iter().filter(|event| matches!(event, Event::Ended(_))).count() <= 1);
    }
}

#[test]
fn a_late_timer_and_a_late_command_come_to_the_same_end_at_the_same_instant() {
    // C07, CHESS-5
    let mut by_timer = friendly(300, 0);
    by_timer.after_ms(317).timer();
    let mut by_move = friendly(300, 0);
    by_move.after_ms(340).play("e2e4");
    let mut by_opponent = friendly(300, 0);
    by_opponent.after_ms(1_305).resign(Color::Black).expect("the flag had fallen");
    assert_eq!(by_timer.events, by_move.events);
    assert_eq!(by_timer.events, by_opponent.events);
    assert_eq!(by_timer.game.end().map(|end| end.at_ms), Some(1_300));
    for _ in 0..20 {
        let timer = Command::TimerFired { now_ms: 9_999, lag_ms: 0 };
        assert_eq!(by_timer.attempt(timer), Err(Refusal::GameOver));
    }
}

#[test]
fn a_timer_that_fires_early_decides_nothing() {
    let mut given = friendly(300, 0);
    assert_eq!(next_deadline_ms(&given.game, 0), Some(1_300));
    assert_eq!(given.after_ms(299).timer(), vec![]);
    assert_eq!(given.end(), None);
}

#[test]
fn a_move_sent_twice_is_played_once_and_the_side_to_move_can_lose_on_time() {
    // B02, C11, C12
    let mut given = friendly(10_000, 0);
    given.after_ms(1_000).play("e2e4");
    let again = given.a_move(Color::White, "e2e4", 1).expect("a move");
    assert_eq!(given.attempt(again), Err(Refusal::StalePly { current_ply: 1 }));
    let other = given.a_move(Color::White, "d2d4", 1).expect("a move");
    assert_eq!(given.attempt(other), Err(Refusal::StalePly { current_ply: 1 }));
    let out_of_turn = given.a_move(Color::White, "d2d4", 2).expect("a move");
    assert_eq!(given.attempt(out_of_turn), Err(Refusal::NotYourTurn));
    given.after_ms(1_000).play("e7e5");
    assert_eq!(given.game.ply(), 2);
    given.flag_falls();
    assert_eq!(given.end(), FLAGGED_WHITE);
}

#[test]
fn a_move_for_another_ply_is_refused_and_not_kept() {
    // B16
    let mut given = city();
    given.play_all("e2e4 e7e5 g1f3 b8c6");
    let premove = given.a_move(Color::White, "f1b5", 3).expect("a move");
    assert_eq!(given.attempt(premove), Err(Refusal::StalePly { current_ply: 4 }));
    let ahead = given.a_move(Color::White, "f1b5", 7).expect("a move");
    assert_eq!(given.attempt(ahead), Err(Refusal::StalePly { current_ply: 4 }));
    given.play("f1c4");
    assert_eq!(given.game.ply(), 5);
}

#[test]
fn a_flag_falls_without_anybody_asking() {
    // B06
    let mut given = friendly(2_000, 0);
    assert_eq!(next_deadline_ms(&given.game, 0), Some(3_000));
    given.flag_falls();
    assert_eq!(given.end(), FLAGGED_WHITE);
    assert_eq!(next_deadline_ms(&given.game, 0), None);
}

#[test]
fn quick_moves_let_the_clock_grow_by_the_increment_less_the_time_used() {
    // B09
    let mut given = game(RuleSet::friendly(), Some(BLITZ));
    for (white, black) in
        [("g1f3", "a7a6"), ("f3g1", "b7b6"), ("g1f3", "c7c6"), ("f3g1", "d7d6"), ("g1f3", "e7e6")]
    {
        given.after_ms(500).play(white);
        given.after_ms(500).play(black);
    }
    assert_eq!((given.clocks().white_ms, given.clocks().black_ms), (187_500, 187_500));
    for (white, black) in
        [("f3g1", "f7f6"), ("g1f3", "g7g6"), ("f3g1", "h7h6"), ("g1f3", "a6a5"), ("f3g1", "b6b5")]
    {
        given.after_ms(500).play(white);
        given.after_ms(500).play(black);
    }
    assert_eq!((given.clocks().white_ms, given.clocks().black_ms), (195_000, 195_000));
}

#[test]
fn the_first_increment_is_added_whether_the_first_move_is_timed_or_not() {
    let mut given = city();
    given.after_ms(15_000).play("e2e4");
    assert_eq!((given.clocks().white_ms, given.clocks().black_ms), (182_000, 180_000));
    assert_eq!((given.last_move().elapsed_ms, given.last_move().charged_ms), (15_000, 0));
    given.after_ms(7_000).play("e7e5");
    assert_eq!((given.clocks().white_ms, given.clocks().black_ms), (182_000, 182_000));
    given.after_ms(10_000).play("g1f3");
    assert_eq!(given.clocks().white_ms, 174_000);

    let mut given = game(RuleSet::table(), Some(BLITZ));
    given.after_ms(1_000).play("e2e4");
    assert_eq!(given.clocks().white_ms, 181_000);
}

#[test]
fn lag_as_a_client_might_claim_it_is_capped_by_limit_and_allowance() {
    // B11: 1+0, five moves of 5 s, each with a claimed delay of 5 s
    let mut given = with_credit(TimeControl::new(60_000, 0));
    given.lag_ms = 5_000;
    let quiet = ["g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "a2a3", "a7a6", "b2b3", "b7b6"];
    for (index, uci) in quiet.into_iter().enumerate() {
        given.after_ms(if index % 2 == 0 { 5_000 } else { 0 }).play(uci);
        assert!(given.last_move().lag_credit_ms <= 1_000);
    }
    let credited_ms = given.clocks().white_ms - (60_000 - 25_000);
    // The allowance of 3 s and 1 s a move shrinks to 60/260 of itself.
    assert_eq!(credited_ms, 692 + 4 * 230);
}

#[test]
fn the_allowance_fills_up_to_its_limit_and_a_slow_answer_costs_the_rest() {
    // B12
    let mut given = with_credit(BLITZ);
    let tour = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for uci in tour.into_iter().chain(["b1c3", "b8c6", "c3b1"]) {
        given.play(uci);
        assert_eq!(given.last_move().lag_credit_ms, 0);
    }
    given.lag_ms = 3_000;
    let before_ms = given.clocks().black_ms;
    given.after_ms(3_000).play("a7a6");
    assert_eq!(given.last_move().lag_credit_ms, 1_000);
    assert_eq!(given.clocks().black_ms, before_ms - 2_000 + 2_000);
}

#[test]
fn a_credit_never_adds_to_the_clock_nor_uses_up_more_than_the_time_that_passed() {
    // B12, CHESS-9
    let mut given = with_credit(BLITZ);
    given.lag_ms = 900;
    given.after_ms(100).play("e2e4");
    assert_eq!((given.last_move().lag_credit_ms, given.last_move().charged_ms), (100, 0));
    assert_eq!(given.clocks().white_ms, 182_000);
}

#[test]
fn an_allowance_runs_dry_under_steady_delay() {
    let mut given = with_credit(TimeControl::new(180_000, 0));
    given.lag_ms = 1_000;
    let mut credits = Vec::new();
    for uci in [
        "g1f3", "a7a6", "f3g1", "b7b6", "g1f3", "c7c6", "f3g1", "d7d6", "g1f3", "e7e6", "f3g1", "f7f6",
        "g1f3",
    ] {
        given.after_ms(2_000).play(uci);
        credits.push(given.last_move().lag_credit_ms);
    }
    // 180/260 of 3 s at the start and of 1 s a move.
    let white: Vec<_> = credits.iter().copied().step_by(2).collect();
    assert_eq!(white, [1_000, 1_000, 1_000, 1_000, 844, 692, 692]);
}

#[test]
fn a_flag_waits_for_what_the_player_would_be_credited() {
    let mut given = with_credit(BLITZ);
    assert_eq!(next_deadline_ms(&given.game, 0), Some(181_000));
    assert_eq!(next_deadline_ms(&given.game, 120), Some(181_120));
    assert_eq!(next_deadline_ms(&given.game, 60_000), Some(182_000));
    given.lag_ms = 120;
    assert!(was_played(&given.after_ms(180_119).play("e2e4")));
    assert_eq!(given.clocks().white_ms, 1 + 2_000);
}

#[test]
fn without_credit_a_move_after_the_flag_is_not_played_whatever_the_delay() {
    let mut given = game(RuleSet::table(), Some(BLITZ));
    given.lag_ms = 5_000;
    assert_eq!(next_deadline_ms(&given.game, 5_000), Some(181_000));
    assert!(!was_played(&given.after_ms(180_000).play("e2e4")));
    assert_eq!(given.end(), FLAGGED_WHITE);
}

#[test]
fn clocks_shown_are_never_negative() {
    // B14
    let given = friendly(300, 0);
    for now_ms in [i64::MIN, -5, 0, 1_000, 1_299, 1_300, 1_000_000, i64::MAX] {
        let clocks = given.game.clocks_at(now_ms).expect("the game has clocks");
        assert!((0..=300).contains(&clocks.white_ms), "{clocks:?} at {now_ms}");
        assert_eq!(clocks.black_ms, 300);
    }
    let waiting = city();
    assert_eq!(waiting.game.clocks_at(19_000), waiting.game.clocks(), "an untimed first move runs no clock");
}

#[test]
fn first_moves_are_due_within_twenty_seconds_each() {
    // B17
    let mut given = city();
    given.after_ms(1_000).play("e2e4");
    given.after_ms(19_900);
    assert_eq!(given.timer(), vec![]);
    given.play("e7e5");
    given.after_ms(30_000);
    assert_eq!(given.timer(), vec![]);
    assert_eq!(given.end(), None);

    let mut given = city();
    assert_eq!(next_deadline_ms(&given.game, 900), Some(21_000), "no delay is credited to a first move");
    given.flag_falls();
    assert_eq!(given.end(), NO_FIRST_MOVE);
    assert_eq!(given.clocks(), city().clocks());

    let mut given = city();
    given.after_ms(3_000).play("e2e4");
    assert!(!was_played(&given.after_ms(20_000).play("e7e5")));
    assert_eq!(given.end(), NO_FIRST_MOVE);
}

#[test]
fn after_first_moves_only_resigning_ends_a_game_early() {
    // B19: there is no command to abort; the server's own is the only one
    let mut given = city();
    given.play_all("e2e4 e7e5");
    given.after_ms(25_000);
    assert_eq!(given.timer(), vec![]);
    given.resign(Color::White).expect("a player may always give up");
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Resignation)));
    let mut given = city();
    given.when(Command::AbortByServer { now_ms: 2_000 });
    assert_eq!(given.end(), Some((Outcome::Aborted, EndReason::AbortedServer)));
}

#[test]
fn a_stop_of_the_server_costs_no_time_and_ends_no_game() {
    // B04, B07, CHESS-7
    let mut given = city();
    given.play_all("e2e4 e7e5");
    given.after_ms(10_000).play("g1f3");
    given.after_ms(400_000);
    given.when(Command::Resume { now_ms: given.now_ms, alive_until_ms: None });
    assert_eq!(given.events.last(), Some(&Event::Resumed { at_ms: 411_000, stood_still_ms: 400_000 }));
    assert_eq!(given.timer(), vec![]);
    given.after_ms(5_000).play("b8c6");
    assert_eq!((given.last_move().elapsed_ms, given.clocks().black_ms), (5_000, 179_000));
}

#[test]
fn what_was_thought_before_a_known_stop_counts() {
    let mut given = city();
    given.play_all("e2e4 e7e5");
    given.after_ms(60_000);
    given.when(Command::Resume { now_ms: given.now_ms, alive_until_ms: Some(5_000) });
    given.play("g1f3");
    assert_eq!((given.last_move().elapsed_ms, given.clocks().white_ms), (4_000, 180_000));
}

#[test]
fn a_stop_puts_off_a_first_move_and_a_gone_player_too() {
    // B07
    let mut given = city();
    given.after_ms(15_000);
    given.when(Command::Resume { now_ms: given.now_ms, alive_until_ms: Some(2_000) });
    assert_eq!(next_deadline_ms(&given.game, 0), Some(21_000 + 14_000));

    let mut given = city();
    given.play_all("e2e4 e7e5");
    given.gone(Color::White).expect("gone");
    given.after_ms(600_000);
    given.when(Command::Resume { now_ms: given.now_ms, alive_until_ms: None });
    assert_eq!(next_deadline_ms(&given.game, 0), Some(1_000 + 60_000 + 600_000));
}

#[test]
fn a_clock_of_the_server_that_went_back_gives_no_negative_times() {
    let mut given = city();
    given.play_all("e2e4 e7e5");
    given.when(Command::Resume { now_ms: -50_000, alive_until_ms: None });
    assert_eq!(given.events.last(), Some(&Event::Resumed { at_ms: -50_000, stood_still_ms: 0 }));
    given.now_ms = -40_000;
    given.play("g1f3");
    assert_eq!((given.last_move().elapsed_ms, given.clocks().white_ms), (0, 184_000));
}

#[test]
fn a_scaled_clock_runs_quicker_but_first_moves_are_due_in_real_time() {
    let mut given = scaled(RuleSet::city(), BLITZ, 60);
    assert_eq!(next_deadline_ms(&given.game, 0), Some(21_000));
    given.play_all("e2e4 e7e5");
    assert_eq!(next_deadline_ms(&given.game, 0), Some(1_000 + 3_034), "182 s run out in 3,033.3 ms");
    given.after_ms(1_000).play("g1f3");
    assert_eq!((given.last_move().elapsed_ms, given.last_move().charged_ms), (1_000, 60_000));
    assert_eq!(given.clocks().white_ms, 182_000 - 60_000 + 2_000);
    given.flag_falls();
    assert_eq!(given.end(), Some((Outcome::WhiteWins, EndReason::Time)));
    assert_eq!(given.clocks().black_ms, 0);
}

#[test]
fn a_game_without_clocks_has_no_deadline_and_charges_nothing() {
    let mut given = game(RuleSet::solo(), None);
    assert_eq!(next_deadline_ms(&given.game, 0), None);
    given.after_ms(1_000_000).play("e2e4");
    assert_eq!((given.last_move().elapsed_ms, given.last_move().charged_ms), (1_000_000, 0));
    assert_eq!(given.last_move().clocks, None);
}

#[test]
fn draw_offers_cost_the_opponent_no_time() {
    // B24
    let mut given = city();
    given.play_all("e2e4 e7e5 g1f3");
    given.offer(Color::White).expect("the first is open");
    for _ in 0..49 {
        assert_eq!(given.after_ms(2).offer(Color::White), Err(Refusal::DrawOfferOpen));
    }
    given.play("b8c6");
    assert_eq!(given.last_move().charged_ms, 98);
}

#[test]
fn the_lower_envelope_is_not_moved_by_one_slow_answer() {
    let mut meter = LagMeter::new();
    assert_eq!(meter.measured_ms(), 0);
    for sample_ms in [80, 5_000, 75, 90, 4_000] {
        meter.record_round_trip(sample_ms);
    }
    assert_eq!(meter.measured_ms(), 90);
    // Recent samples only: a network that really got slower is believed after a while.
    for _ in 0..100 {
        meter.record_round_trip(300);
    }
    assert_eq!(meter.measured_ms(), 300);
}

#[test]
fn a_quick_move_unmasks_late_answers_for_good() {
    let mut meter = LagMeter::new();
    for _ in 0..20 {
        meter.record_round_trip(1_000);
    }
    assert_eq!(meter.measured_ms(), 1_000);
    meter.record_reply(4_000);
    assert_eq!(meter.measured_ms(), 1_000);
    // It becomes the new measure; the samples that it proved false are forgotten.
    meter.record_reply(60);
    assert_eq!(meter.measured_ms(), 60);
    // Whoever goes on answering late is believed no more, on this stream and on his next.
    meter.record_reply(2_000);
    assert_eq!(meter.measured_ms(), 0);
    for mut meter in [meter.for_next_stream(), meter] {
        for _ in 0..20 {
            meter.record_round_trip(1_000);
            meter.record_reply(2_000);
            assert_eq!(meter.measured_ms(), 0);
        }
        // Answers that fit are believed again, up to what was proven.
        for (sample_ms, believed_ms) in [(40, 40), (70, 60), (73, 0)] {
            for _ in 0..8 {
                meter.record_round_trip(sample_ms);
            }
            assert_eq!(meter.measured_ms(), believed_ms);
        }
    }
}

#[test]
fn a_reply_within_the_jitter_of_the_network_proves_nothing() {
    let mut meter = LagMeter::new();
    for _ in 0..8 {
        meter.record_round_trip(400);
    }
    meter.record_reply(350);
    assert_eq!(meter.measured_ms(), 400);
}

#[test]
fn an_answer_that_does_not_fit_to_the_quickest_of_the_recent_moves_is_not_believed() {
    let mut meter = LagMeter::new();
    meter.record_round_trip(40);
    meter.record_reply(210);
    for (sample_ms, believed_ms) in [(250, 250), (900, 0)] {
        for _ in 0..8 {
            meter.record_round_trip(sample_ms);
        }
        assert_eq!(meter.measured_ms(), believed_ms);
    }
    // Whether the client or the network got slower is settled by a new stream.
    for _ in 0..8 {
        meter.record_reply(2_000);
        meter.record_round_trip(900);
    }
    assert_eq!(meter.measured_ms(), 0);
    let mut meter = meter.for_next_stream();
    meter.record_round_trip(900);
    assert_eq!(meter.measured_ms(), 900);
}
