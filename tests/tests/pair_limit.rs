//! Six staked games of a pair on a UTC day, and not a seventh (case E14).

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use end_to_end::player::Player;
use end_to_end::stack::Stack;
use end_to_end::table::{PATIENCE, Table, frame, join};
use proto::matchmaking::v1::CancelReason;
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::types::v1::TimeControl;

/// A queue that no other test of this program uses.
const CITY: &str = "havana";
const TEN_MINUTES: TimeControl = TimeControl { base_ms: 600_000, increment_ms: 0 };

/// Games that a pair may play for money on a UTC day.
const GAMES_PER_DAY_MAX: u32 = 6;

fn utc_day() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() / 86_400
}

#[tokio::test]
async fn the_seventh_match_of_a_pair_on_a_day_is_refused_by_name_and_both_go_on_searching()
-> anyhow::Result<()> {
    // Around midnight the count begins anew in the middle of the test, and the test with it.
    loop {
        let day = utc_day();
        let outcome = seven_matches().await;
        if utc_day() == day {
            return outcome;
        }
    }
}

async fn seven_matches() -> anyhow::Result<()> {
    let stack = Stack::shared();
    let (a, b) = tokio::try_join!(Player::sign_up(stack), Player::sign_up(stack))?;
    let before = (a.purse().await?, b.purse().await?);
    for game in 1..=GAMES_PER_DAY_MAX {
        let table = Table::of(&a, &b, CITY, TEN_MINUTES).await.with_context(|| format!("game {game}"))?;
        table.play_all(&["e2e4", "e7e5"]).await?;
        // Draws leave both at 1500: were one to win, they would soon be too far apart to be paired.
        table.agree_to_a_draw().await?;
        table.wait_for_settlement().await;
    }
    let (mut of_a, mut of_b) = (join(&a, CITY, TEN_MINUTES).await?, join(&b, CITY, TEN_MINUTES).await?);
    for frames in [&mut of_a, &mut of_b] {
        let reason = frame(frames, |frame| match frame {
            Frame::MatchFailed(failed) => Some(failed.reason()),
            Frame::Matched(_) => Some(CancelReason::Unspecified),
            _ => None,
        })
        .await?;
        assert_eq!(reason, CancelReason::PairLimitReached);
        let searching = frame(frames, |frame| match frame {
            Frame::Searching(searching) => Some(searching),
            _ => None,
        })
        .await?;
        assert!(searching.waited_ms >= 0);
    }
    let after = test_kit::eventually(PATIENCE, || async {
        let purses = (a.purse().await.ok()?, b.purse().await.ok()?);
        (purses.0.held == 0 && purses.1.held == 0).then_some(purses)
    })
    .await;
    assert_eq!(after, before, "six draws and a refusal cost nobody anything");
    Ok(())
}
