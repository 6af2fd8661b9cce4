//! Who meets whom: what the service knows of a player, and what it makes of it.

use proto::types::v1::Color;
use test_kit::eventually;
use test_peer::{PATIENCE, Visitor};

use crate::support::{Pair, Seeker, World};

impl World {
    async fn until_rated(&self, player: &Visitor, rating: f64) {
        eventually(PATIENCE, || async {
            let found: Option<f64> =
                sqlx::query_scalar("select rating from player_ratings where player_id = $1 and pool = '3+2'")
                    .bind(player.player_id)
                    .fetch_optional(self.pool())
                    .await
                    .expect("the database answers");
            (found == Some(rating)).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn players_two_hundred_points_apart_do_not_meet_while_their_windows_are_narrow() {
    let world = World::start().await;
    let (ada, ben, cai) = (world.player("Ada"), world.player("Ben"), world.player("Cai"));
    world.rate([(&ada, 1500.2), (&ben, 1700.4)], 1).await;
    world.rate([(&cai, 1690.0), (&world.player("Dan"), 1500.0)], 2).await;
    world.until_rated(&ben, 1700.4).await;
    world.until_rated(&cai, 1690.0).await;

    let mut first = world.client().join(&ada, &crate::support::Ask::new()).await.expect("a ticket");
    let searching = first.searching().await;
    assert_eq!((searching.rating, searching.window), (1500, 100));
    let mut second = world.searching(&ben).await;
    // Whoever comes later would find the two gone if they had met.
    let mut third = world.searching(&cai).await;
    assert_eq!(second.opponent().await.1, cai.player_id);
    assert_eq!(third.opponent().await.1, ben.player_id);
    assert!(world.matches_of(&ada).await.is_empty());
}

// A cancelled match gives the wait back, and with it the window: here it is made long in the log of two matches.
#[tokio::test]
async fn who_has_waited_long_keeps_a_wide_window_over_a_cancelled_match_and_a_restart() {
    let mut world = World::start().await;
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let (low, high) = (world.player("Low"), world.player("High"));
    world.rate([(&ada, 1500.0), (&ben, 1700.0)], 1).await;
    world.rate([(&low, 1400.0), (&high, 1800.0)], 2).await;
    world.until_rated(&ben, 1700.0).await;
    world.until_rated(&high, 1800.0).await;
    let mut pairs: Vec<(Seeker, Seeker)> = Vec::new();
    for (player, partner) in [(&ada, &low), (&ben, &high)] {
        let mut seeker = world.searching(player).await;
        let mut other = world.searching(partner).await;
        assert_eq!(seeker.securing().await, other.securing().await);
        pairs.push((seeker, other));
    }
    sqlx::query(
        "update matches set white_queued_at_ms = white_queued_at_ms - 40000,
                            black_queued_at_ms = black_queued_at_ms - 40000",
    )
    .execute(world.pool())
    .await
    .expect("the database answers");
    world.crash();
    world.start_again().await;

    let mut seekers = Vec::new();
    for (seeker, partner) in &pairs {
        let mut again = world.client().join(&seeker.player, &seeker.ask).await.expect("it is his match");
        again.securing().await;
        assert!(world.client().leave(&partner.player).await, "his ticket is gone, his match is not");
        again.failed().await;
        let searching = again.searching().await;
        assert_eq!(searching.window, 250);
        assert!(searching.waited_ms >= 40_000);
        seekers.push(again);
    }
    assert_eq!(seekers[0].opponent().await.1, ben.player_id);
    assert_eq!(seekers[1].opponent().await.1, ada.player_id);
}

// MATCH-1: ratings come in the order of their games, but a redelivery may bring an old one last.
#[tokio::test]
async fn an_older_rating_that_comes_late_does_not_replace_a_newer_one() {
    let world = World::start().await;
    let (ada, ben, cai) = (world.player("Ada"), world.player("Ben"), world.player("Cai"));
    world.rate([(&ada, 1460.0), (&ben, 1540.0)], 8).await;
    world.until_rated(&ada, 1460.0).await;
    world.rate([(&ada, 1510.0), (&cai, 1490.0)], 7).await;
    world.until_rated(&cai, 1490.0).await;
    // E12: and the next ticket is paired by it.
    let mut seeker = world.client().join(&ada, &crate::support::Ask::new()).await.expect("a ticket");
    assert_eq!(seeker.searching().await.rating, 1460);
}

fn opposite(color: Color) -> Color {
    if color == Color::White { Color::Black } else { Color::White }
}

// E11: two who have just played queue again at once; each meets somebody else, with the other colour.
#[tokio::test]
async fn who_has_just_played_meets_somebody_else_and_has_the_other_colour() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    world.agree(match_id).await;
    let before = [first.matched().await.color(), second.matched().await.color()];
    world.end(match_id).await;
    // At once: what pairing knows of them must be what it knew after this game.
    let (ada, ben) = (first.player.clone(), second.player.clone());
    let mut again = [world.searching(&ada).await, world.searching(&ben).await];

    let strangers = [world.player("Cai"), world.player("Dan")];
    // The one who has waited longest is served first: Ada, then Ben.
    let _strangers = [world.searching(&strangers[0]).await, world.searching(&strangers[1]).await];
    for ((seeker, stranger), before) in again.iter_mut().zip(&strangers).zip(before) {
        let (match_id, opponent) = seeker.opponent().await;
        assert_eq!(opponent, stranger.player_id);
        world.agree(match_id).await;
        assert_eq!(seeker.matched().await.color(), opposite(before));
    }
}
