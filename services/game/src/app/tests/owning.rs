//! Owners: what is acknowledged is in the log, what failed has not happened, and time goes on by itself.

use domain_chess::{EndReason, Event, Outcome};

use super::{memory::Fault, *};

fn ended(stand: &Stand) -> Option<domain_chess::Ended> {
    stand.journal.entries(&stand.facts).iter().find_map(|entry| match &entry.event {
        Event::Ended(ended) => Some(*ended),
        _ => None,
    })
}

fn ends(stand: &Stand) -> usize {
    stand.journal.entries(&stand.facts).iter().filter(|entry| matches!(entry.event, Event::Ended(_))).count()
}

// GAME-1
#[tokio::test]
async fn a_move_that_could_not_be_written_has_not_happened() {
    let stand = Stand::new();
    stand.journal.fail_next(Fault::Down);
    let failed = stand.white(play("e2e4", 0)).await;
    assert!(matches!(failed, Err(ActError::Journal(JournalError::Unavailable(_)))), "{failed:?}");
    assert_eq!(stand.journal.entries(&stand.facts).len(), 1);
    let played = stand.white(play("d2d4", 0)).await.expect("the log is back");
    assert_eq!(played.version, 2);
}

// GAME-1, GAME-4
#[tokio::test]
async fn a_move_whose_answer_was_lost_is_played_once_and_answered_when_asked_again() {
    let stand = Stand::new();
    stand.journal.fail_next(Fault::AnswerLost);
    let act = stand.act(&stand.facts.white, Uuid::new_v4(), play("e2e4", 0));
    assert!(stand.games.act(act).await.is_err());
    stand.clock.advance(3_000);
    let again = Act { received_at_ms: stand.games.now_ms(), ..act };
    let receipt = stand.games.act(again).await.expect("the first answer");
    assert_eq!((receipt.version, receipt.played.map(|played| played.received_at_ms)), (2, Some(NOON_MS)));
    let entries = stand.journal.entries(&stand.facts);
    assert_eq!(entries.iter().filter(|entry| matches!(entry.event, Event::MovePlayed(_))).count(), 1);
}

// GAME-1: the owner does not decide on what it has not seen, even when the log cannot be read at once.
#[tokio::test]
async fn after_a_doubtful_write_the_owner_reads_the_log_before_it_decides() {
    let stand = Stand::new();
    stand.white(play("e2e4", 0)).await.expect("a good move");
    stand.journal.fail_next(Fault::AnswerLost);
    assert!(stand.black(play("e7e5", 1)).await.is_err());
    stand.journal.fail_loads(1);
    let unread = stand.white(play("g1f3", 2)).await;
    assert!(matches!(unread, Err(ActError::Journal(JournalError::Unavailable(_)))), "{unread:?}");
    let played = stand.white(play("g1f3", 2)).await.expect("Black's move stands in the log");
    assert_eq!(played.version, 4);
}

#[tokio::test]
async fn an_overtaken_owner_reads_the_log_and_decides_again() {
    let stand = Stand::new();
    stand.journal.fail_next(Fault::Overtaken);
    stand.white(play("e2e4", 0)).await.expect("decided again");
    assert_eq!(stand.journal.writes(), 2);
    assert_eq!(stand.journal.entries(&stand.facts).len(), 2);
}

#[tokio::test]
async fn a_full_log_refuses_without_any_doubt() {
    let stand = Stand::new();
    stand.journal.fail_next(Fault::Full);
    let refused = stand.white(play("e2e4", 0)).await;
    assert!(
        matches!(refused, Err(ActError::Journal(JournalError::Refused(AdditionRefused::Overloaded)))),
        "{refused:?}"
    );
    stand.white(play("e2e4", 0)).await.expect("there is room again");
}

// B06, GAME-8
#[tokio::test]
async fn a_flag_falls_by_the_owners_own_timer_at_its_own_instant() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5").await;
    stand.clock.advance(182_000);
    let ended = until(async || ended(&stand)).await;
    assert_eq!((ended.outcome, ended.reason), (Outcome::BlackWins, EndReason::Time));
    assert_eq!(ended.at_ms, NOON_MS + 2_000 + 182_000);
    assert_eq!(ended.clocks.map(|clocks| clocks.white_ms), Some(0));
}

#[tokio::test]
async fn a_flag_that_cannot_be_written_is_tried_again() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5").await;
    stand.journal.fail_next(Fault::Down);
    stand.clock.advance(300_000);
    let ended = until(async || {
        stand.clock.advance(100);
        ended(&stand)
    })
    .await;
    assert_eq!(ended.at_ms, NOON_MS + 2_000 + 182_000);
    assert_eq!(ends(&stand), 1);
}

// B01: nobody but the player on move can lose on time, and only once.
#[tokio::test]
async fn a_move_around_the_flag_stands_or_loses_but_never_flags_the_opponent() {
    for late_ms in [-5, -1, 0, 1, 5] {
        let stand = Stand::new();
        stand.play("e2e4 e7e5").await;
        let mut act = stand.act(&stand.facts.white, Uuid::new_v4(), play("g1f3", 2));
        act.received_at_ms = NOON_MS + 2_000 + 182_000 + late_ms;
        stand.clock.advance(182_000 + late_ms);
        let outcome = stand.games.act(act).await;
        match outcome {
            Ok(receipt) => {
                assert!(late_ms < 0, "a move {late_ms} ms after the flag was played");
                let clocks = receipt.played.and_then(|played| played.clocks).expect("a timed game");
                assert_eq!(clocks.white_ms, 2_000 - late_ms);
                assert_eq!(ends(&stand), 0);
            }
            Err(ActError::Refused(Refused::GameOver { ended })) => {
                assert_eq!((ended.outcome, ended.reason), (Outcome::BlackWins, EndReason::Time));
                assert_eq!(ends(&stand), 1);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

// B22: the opponent's command may not use the network credit that only the player on move could have had.
#[tokio::test]
async fn a_command_of_the_opponent_just_after_the_flag_comes_too_late() {
    for late_ms in [0, 1, 500] {
        let stand = Stand::new();
        stand.play("e2e4 e7e5").await;
        let mut act = stand.act(&stand.facts.black, Uuid::new_v4(), Action::Resign);
        // The timer has not been served yet: the clock stands still before the flag.
        act.received_at_ms = NOON_MS + 2_000 + 182_000 + late_ms;
        let outcome = stand.games.act(act).await;
        let Err(ActError::Refused(Refused::GameOver { ended })) = outcome else { panic!("{outcome:?}") };
        assert_eq!((ended.outcome, ended.reason), (Outcome::BlackWins, EndReason::Time));
        assert_eq!(ends(&stand), 1);
    }
}

// B17
#[tokio::test]
async fn a_missing_first_move_aborts_and_a_timely_one_does_not() {
    let aborted = Stand::new();
    aborted.games.take_up(aborted.facts.game_id);
    aborted.clock.advance(20_000);
    let end = until(async || ended(&aborted)).await;
    assert_eq!((end.outcome, end.reason), (Outcome::Aborted, EndReason::AbortedNoFirstMove));

    let stand = Stand::new();
    stand.clock.advance(1_000);
    stand.white(play("e2e4", 0)).await.expect("in time");
    stand.clock.advance(18_900);
    stand.black(play("e7e5", 1)).await.expect("in time");
    stand.clock.advance(30_000);
    stand.white(play("g1f3", 2)).await.expect("the game goes on");
    assert_eq!(ends(&stand), 0);
}

// GAME-6, B04, B07
#[tokio::test]
async fn a_stop_costs_nobody_time_and_ends_no_game() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5 g1f3").await;
    let before = stand.games.read(stand.facts.game_id).await.expect("a log").replay().expect("whole");
    let clock = stand.clock.clone();
    clock.advance(40_000);
    let stand = stand.restarted().await;
    clock.advance(3_600_000);
    assert_eq!(stand.games.take_up_all().await.expect("listed"), 1);
    until(async || (stand.journal.entries(&stand.facts).len() == 5).then_some(())).await;
    let entries = stand.journal.entries(&stand.facts);
    assert!(
        matches!(entries[4].event, Event::Resumed { stood_still_ms: 3_640_000, .. }),
        "{:?}",
        entries[4].event
    );
    let after = stand.games.read(stand.facts.game_id).await.expect("a log").replay().expect("whole");
    assert_eq!(after.clocks_at(stand.games.now_ms()), before.clocks_at(NOON_MS + 3_000));
    clock.advance(5_000);
    let played = stand.black(play("b8c6", 3)).await.expect("Black is on move as before");
    assert_eq!(played.played.map(|played| played.charged_ms), Some(5_000));
}

#[tokio::test]
async fn a_game_that_has_just_begun_here_is_not_resumed() {
    let stand = Stand::new();
    stand.white(play("e2e4", 0)).await.expect("a good move");
    let entries = stand.journal.entries(&stand.facts);
    assert!(!entries.iter().any(|entry| matches!(entry.event, Event::Resumed { .. })));
}

#[tokio::test]
async fn a_game_whose_log_cannot_be_read_at_first_is_taken_up_later() {
    let stand = Stand::new();
    stand.journal.fail_loads(3);
    stand.games.take_up(stand.facts.game_id);
    stand.white(play("e2e4", 0)).await.expect("the owner tried again");
}

// C07, GAME-8
#[tokio::test]
async fn many_calls_at_the_instant_of_a_flag_end_the_game_once() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5").await;
    stand.clock.advance(182_000);
    let calls = (0..20).map(|_| stand.white(play("g1f3", 2)));
    for outcome in futures::future::join_all(calls).await {
        assert!(matches!(outcome, Err(ActError::Refused(Refused::GameOver { .. }))), "{outcome:?}");
    }
    assert_eq!(ends(&stand), 1);
}

// GAME-6: a player who moved in time does not lose because the log was away for longer than he had left.
#[tokio::test]
async fn an_outage_of_the_log_costs_nobody_time_and_ends_no_game() {
    let stand = Stand::new();
    stand.play("e2e4 e7e5").await;
    stand.clock.advance(180_000);
    let act = stand.act(&stand.facts.white, Uuid::new_v4(), play("g1f3", 2));
    stand.journal.fail_next(Fault::Down);
    stand.journal.fail_loads(1);
    assert!(matches!(stand.games.act(act).await, Err(ActError::Journal(_))));
    // The log stays away for a minute; White had two seconds left.
    stand.clock.advance(60_000);
    let again = Act { received_at_ms: stand.games.now_ms(), ..act };
    let receipt = until(async || {
        stand.clock.advance(10);
        stand.games.act(again).await.ok()
    })
    .await;
    let played = receipt.played.expect("the move");
    assert!((180_000..181_000).contains(&played.charged_ms), "charged {} ms", played.charged_ms);
    assert_eq!(ends(&stand), 0);
}

// GAME-1: what the log took without saying so is told to those who watch, although nobody asks for anything.
#[tokio::test]
async fn the_end_of_a_game_whose_answer_was_lost_is_told_by_the_owner_itself() {
    let stand = Stand::new();
    stand.play("f2f3 e7e5 g2g4").await;
    let mut watched = stand.games.watch(stand.facts.game_id, Start::After(4)).await.expect("a watch");
    stand.journal.fail_next(Fault::AnswerLost);
    assert!(stand.black(play("d8h4", 3)).await.is_err());
    let turning = async {
        loop {
            stand.clock.advance(100);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let told = async {
        while let Some(item) = watched.next().await {
            let WatchItem::Frame(frame) = item.expect("the log is there") else { continue };
            if matches!(frame.event, Event::Ended(_)) {
                return;
            }
        }
        panic!("the stream ended without the game's end");
    };
    let both = async {
        tokio::select! { () = told => {}, () = turning => {} }
    };
    tokio::time::timeout(Duration::from_secs(20), both).await.expect("the end is told");
}
