//! Signs of collusion, from the events of games to the players' streams.

use std::sync::Arc;

use domain_fairplay::pairs::UtcDay;
use event_store::StreamId;
use fairplay::app::collusion::look_at;
use fairplay::bus::{AccountEvents, GameEvents, MatchEvents};
use fairplay::store::signals;
use proto::fairplay::v1::{CollusionKind, CollusionSignal, CollusionStrength};
use proto::game::v1::{EndReason, GameResult};
use proto::gateway::v1::PlayerRegistered;
use sqlx::PgPool;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::support::events::{End, Event, Match};
use crate::support::{database, deliver, events_of};

const DAY_MS: i64 = 86_400_000;
/// Some day.
const DAY: i64 = 20_500;

/// Black wins, and White resigns after these moves.
async fn resigned(pool: &PgPool, (white, black): (Uuid, Uuid), moves: &str, at_ms: i64) -> Match {
    let pairing = Match::new(white, black);
    deliver(pool, &MatchEvents, &pairing.proposed(at_ms).message()).await.expect("handled");
    let (match_id, result) = (Some(pairing.match_id), GameResult::BlackWins);
    let end = End { match_id, result, reason: EndReason::Resignation, at_ms };
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    deliver(pool, &games, &pairing.ended_with(moves, end).message()).await.expect("handled");
    pairing
}

async fn of_player(pool: &PgPool, player_id: Uuid) -> Vec<CollusionSignal> {
    signals::of_players(pool, &[player_id]).await.expect("readable")
}

#[tokio::test]
async fn fast_resigns_to_the_same_partner_are_raised_once_and_both_sides_see_it() {
    // I16: A resigns to B at ply 4, six times a day for three days.
    let database = database().await;
    let pool = &database.pool;
    let (loser, winner) = (Uuid::now_v7(), Uuid::now_v7());
    let mut last = None;
    for day in DAY..DAY + 3 {
        for game in 0..6 {
            let at_ms = day * DAY_MS + game * 600_000;
            last = Some(resigned(pool, (loser, winner), "e2e4 e7e5 g1f3 b8c6", at_ms).await);
        }
        // The limit of the pair is used up.
        let seventh = Match::new(loser, winner).proposed(day * DAY_MS + 7_200_000);
        deliver(pool, &MatchEvents, &seventh.message()).await.expect("handled");
        let raised = look_at(pool, UtcDay(day)).await.expect("looked");
        assert!(raised.is_some());
        assert_eq!(look_at(pool, UtcDay(day)).await.expect("looked"), None, "a day is looked at once");
    }
    let short: Vec<CollusionSignal> = of_player(pool, loser)
        .await
        .into_iter()
        .filter(|signal| signal.kind() == CollusionKind::ShortWins)
        .collect();
    assert_eq!(short.len(), 1, "once in the window");
    assert_eq!(short[0].strength(), CollusionStrength::Report);
    assert_eq!(short[0].player_ids, [winner.to_string(), loser.to_string()]);
    assert!(short[0].p_value < 1e-6 && short[0].tests > 0);
    assert_eq!(of_player(pool, winner).await, of_player(pool, loser).await);
    for player_id in [loser, winner] {
        let events = events_of(pool, player_id).await;
        assert!(events.iter().all(|event| event == "CollusionSignalRaised"), "no level changes: {events:?}");
        assert_eq!(events.len(), of_player(pool, player_id).await.len());
    }
    let refused: i64 = sqlx::query_scalar("select count(*) from events where type = 'PairingRefused'")
        .fetch_one(pool)
        .await
        .expect("readable");
    assert_eq!(refused, 3);
    let of_game = signals::of_game(pool, last.expect("eighteen games").game_id).await.expect("readable");
    assert!(
        of_game.iter().all(|signal| signal.kind() != CollusionKind::ShortWins),
        "raised by the first day's games"
    );
    // A week later it is raised again, if it goes on.
    for game in 0..6 {
        let at_ms = (DAY + 8) * DAY_MS + game * 600_000;
        resigned(pool, (loser, winner), "e2e4 e7e5 g1f3 b8c6", at_ms).await;
    }
    look_at(pool, UtcDay(DAY + 8)).await.expect("looked").expect("for the first time");
    let short = of_player(pool, winner).await;
    assert_eq!(short.iter().filter(|signal| signal.kind() == CollusionKind::ShortWins).count(), 2);
}

#[tokio::test]
async fn ordinary_games_of_a_crowd_raise_nothing() {
    let database = database().await;
    let pool = &database.pool;
    let players: Vec<Uuid> = (0..8).map(|_| Uuid::now_v7()).collect();
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 c2c3 d7d6 b1d2 a7a6 c4b3 c5a7 h2h3 e8g8 d2f1 d6d5";
    for (number, step) in (0..24).map(|number| (number, 1 + number / 8)) {
        let pair = (players[number % 8], players[(number + step) % 8]);
        resigned(pool, pair, moves, DAY * DAY_MS + number as i64 * 60_000).await;
    }
    assert_eq!(look_at(pool, UtcDay(DAY)).await.expect("looked"), Some(0));
    let (tests, raised): (i32, i32) =
        sqlx::query_as("select tests, raised from collusion_days").fetch_one(pool).await.expect("one day");
    assert!(tests > 20 && raised == 0, "{tests} {raised}");
}

#[tokio::test]
async fn young_accounts_that_feed_one_are_seen_and_old_ones_are_not() {
    let database = database().await;
    let pool = &database.pool;
    let fed = Uuid::now_v7();
    for (age_days, is_young) in [(2, true), (40, false)] {
        let winner = if is_young { fed } else { Uuid::now_v7() };
        for game in 0..6 {
            let young = Uuid::now_v7();
            let registered = PlayerRegistered {
                player_id: young.to_string(),
                registered_at_ms: (DAY - age_days) * DAY_MS,
                ..PlayerRegistered::default()
            };
            let stream = StreamId::new("player", young);
            let event = Event::new("gateway", stream, 1, "PlayerRegistered", &registered);
            deliver(pool, &AccountEvents, &event.message()).await.expect("handled");
            let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 c2c3 d7d6 b1d2 a7a6 c4b3 c5a7 h2h3 e8g8";
            resigned(pool, (young, winner), moves, DAY * DAY_MS + game * 60_000).await;
        }
    }
    look_at(pool, UtcDay(DAY)).await.expect("looked").expect("for the first time");
    let all = signals::list(pool, Uuid::max(), 50).await.expect("readable");
    let feeding: Vec<&CollusionSignal> =
        all.iter().filter(|signal| signal.kind() == CollusionKind::FedByYoung).collect();
    assert_eq!(feeding.len(), 1);
    assert_eq!((feeding[0].player_ids[0].clone(), feeding[0].player_ids.len()), (fed.to_string(), 7));
}
