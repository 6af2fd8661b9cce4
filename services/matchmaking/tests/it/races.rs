//! Two instances on one database, broker and Redis, and players who race: 500 rounds each.

use std::collections::HashSet;
use std::future::Future;

use test_kit::eventually;
use test_peer::refusal::reason;
use test_peer::{Instance, PATIENCE, Visitor};
use uuid::Uuid;

use crate::support::{Ask, Client, Referee, Seeker, World};

/// Rounds of each race.
const ROUNDS: usize = 500;

struct Two {
    world: World,
    here: Client,
    there: Client,
    _second: Instance,
}

impl Two {
    async fn start() -> Self {
        let world = World::start().await;
        let second = world.another().await;
        let (here, there) = (world.client(), Client::of(&second));
        Self { world, here, there, _second: second }
    }

    /// The two clients, the other way round every other round.
    fn clients(&self, round: usize) -> (&Client, &Client) {
        if round.is_multiple_of(2) { (&self.here, &self.there) } else { (&self.there, &self.here) }
    }

    /// Runs the rounds while the other services answer, waits until no match is under way, and checks the books: every stake
    /// that is held has a game, every game has its stakes, and nobody sits in two matches or faces himself.
    async fn refereed(&self, rounds: impl Future<Output = ()>) {
        let referee = Referee::default();
        let settled = async {
            rounds.await;
            eventually(PATIENCE, || async {
                let started = self.matches("status = 'started'").await;
                let under_way = self.matches("status in ('proposed', 'stakes_requested', 'confirmed')").await;
                let (held, games) = referee.books();
                (under_way.is_empty() && held == started && games == started).then_some(())
            })
            .await;
        };
        tokio::select! {
            () = settled => {}
            () = referee.answer(&self.world) => {}
        }
        assert!(self.matches("white_id = black_id").await.is_empty(), "nobody meets himself");
        let doubled: Vec<Uuid> = sqlx::query_scalar(
            "select player_id from (
                 select white_id as player_id from matches where status = 'started'
                 union all select black_id from matches where status = 'started') as seats
             group by player_id having count(*) > 1",
        )
        .fetch_all(self.world.pool())
        .await
        .expect("the database answers");
        assert!(doubled.is_empty(), "in two games: {doubled:?}");
    }

    async fn matches(&self, which: &str) -> HashSet<Uuid> {
        let query = format!("select match_id from matches where {which}");
        let found: Vec<Uuid> = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
            .fetch_all(self.world.pool())
            .await
            .expect("the database answers");
        found.into_iter().collect()
    }

    async fn nobody_waits(&self) {
        eventually(PATIENCE, || async { (self.here.city("paris").await.waiting == 0).then_some(()) }).await;
    }
}

async fn join(client: &Client, player: &Visitor) -> Seeker {
    client.join(player, &Ask::new()).await.expect("a ticket")
}

/// The same from a second device: when the first one is quick enough, its game runs by then.
async fn join_unless_playing(client: &Client, player: &Visitor) -> Option<Seeker> {
    match client.join(player, &Ask::new()).await {
        Ok(seeker) => Some(seeker),
        Err(status) => {
            assert_eq!(reason(&status), "IN_A_GAME", "{status:?}");
            None
        }
    }
}

// E01: queue, leave, queue again, alone, from two devices at two instances.
#[tokio::test]
async fn a_player_who_comes_and_goes_at_two_instances_never_meets_himself() {
    let two = Two::start().await;
    let ada = two.world.player("Ada");
    for round in 0..ROUNDS {
        let (desk, phone) = two.clients(round);
        let first = join(desk, &ada).await;
        let (_, second, third) = tokio::join!(phone.leave(&ada), join(phone, &ada), join(desk, &ada));
        assert!(two.here.city("paris").await.waiting <= 1, "round {round}");
        drop((first, second, third));
        desk.leave(&ada).await;
    }
    assert!(two.world.matches_of(&ada).await.is_empty());
    two.nobody_waits().await;
}

// E02: a double tap, each half at another instance, is one ticket.
#[tokio::test]
async fn two_requests_at_two_instances_get_one_ticket() {
    let two = Two::start().await;
    let ada = two.world.player("Ada");
    for round in 0..ROUNDS {
        let (mut first, mut second) = tokio::join!(join(&two.here, &ada), join(&two.there, &ada));
        let (here, there) = (first.searching().await.ticket_id, second.searching().await.ticket_id);
        assert_eq!(here, there, "round {round}");
        assert_eq!(two.here.city("paris").await.waiting, 1, "round {round}");
        assert!(two.clients(round).0.leave(&ada).await, "round {round}");
        assert!(!two.clients(round).1.leave(&ada).await, "round {round}: there was but one");
    }
    assert!(two.world.matches_of(&ada).await.is_empty());
}

// E04, MATCH-5, MATCH-11: three at once, one of them at both instances. Two are paired, the third waits.
#[tokio::test]
async fn of_three_who_queue_at_two_instances_two_meet_and_the_third_waits() {
    let two = Two::start().await;
    let rounds = async {
        for round in 0..ROUNDS {
            let players = [two.world.player("Ada"), two.world.player("Ben"), two.world.player("Cai")];
            let (one, other) = two.clients(round);
            let seekers = tokio::join!(
                join_unless_playing(one, &players[0]),
                join_unless_playing(other, &players[0]),
                join(one, &players[1]),
                join(other, &players[2]),
            );
            let alone = eventually(PATIENCE, || async {
                let mut alone = Vec::new();
                for player in &players {
                    if two.world.matches_of(player).await.is_empty() {
                        alone.push(player);
                    }
                }
                (alone.len() == 1).then(|| alone[0].clone())
            })
            .await;
            assert!(other.leave(&alone).await, "round {round}: the third waits, and may go");
            drop(seekers);
        }
    };
    two.refereed(rounds).await;
    assert_eq!(two.matches("status = 'started'").await.len(), ROUNDS);
    two.nobody_waits().await;
}

// MATCH-8, E05: leaving races with being paired. Either there is a game or nothing is held, and who has left is out.
#[tokio::test]
async fn who_leaves_while_he_is_paired_has_a_game_or_holds_nothing() {
    let two = Two::start().await;
    let rounds = async {
        for round in 0..ROUNDS {
            let (one, other) = two.clients(round);
            let (ada, ben) = (two.world.player("Ada"), two.world.player("Ben"));
            let first = join(one, &ada).await;
            // She leaves while he comes, or as soon as there is somebody to meet.
            let (second, left) = if round % 4 < 2 {
                tokio::join!(join(other, &ben), other.leave(&ada))
            } else {
                (join(other, &ben).await, other.leave(&ada).await)
            };
            if left {
                let mut seats =
                    two.matches(&format!("white_id = '{0}' or black_id = '{0}'", ada.player_id)).await;
                let cancelled = two.matches("status = 'cancelled'").await;
                seats.retain(|match_id| !cancelled.contains(match_id));
                assert!(seats.is_empty(), "round {round}: she has left");
            }
            other.leave(&ben).await;
            drop((first, second));
        }
    };
    two.refereed(rounds).await;
    two.nobody_waits().await;
}
