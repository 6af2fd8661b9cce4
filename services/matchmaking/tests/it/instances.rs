//! Two instances on one database and broker.

use test_peer::Visitor;
use uuid::Uuid;

use crate::support::{Ask, Client, Seeker, World};

/// Rounds in which two instances grasp for one player.
const ROUNDS: usize = 20;

async fn join(client: &Client, player: &Visitor) -> Seeker {
    client.join(player, &Ask::new()).await.expect("a ticket")
}

// E04, MATCH-5: Ada queues at both instances, and at each of them somebody waits for her.
#[tokio::test]
async fn two_instances_never_put_one_player_into_two_matches() {
    let world = World::start().await;
    let there = world.another().await;
    let (here, there_client) = (world.client(), Client::of(&there));
    for round in 0..ROUNDS {
        let (ada, ben, cai) = (world.player("Ada"), world.player("Ben"), world.player("Cai"));
        let (mut ada_here, mut ada_there) = (join(&here, &ada).await, join(&there_client, &ada).await);
        let (mut ben_here, mut cai_there) = tokio::join!(join(&here, &ben), join(&there_client, &cai));

        let match_id = ada_here.securing().await;
        assert_eq!(ada_there.securing().await, match_id, "round {round}: both streams follow one match");
        assert_eq!(world.matches_of(&ada).await, [match_id], "round {round}");
        let (ben_matches, cai_matches) = (world.matches_of(&ben).await, world.matches_of(&cai).await);
        let alone = match (ben_matches.as_slice(), cai_matches.as_slice()) {
            ([one], []) if *one == match_id => {
                assert_eq!(ben_here.securing().await, match_id);
                (&there_client, &cai)
            }
            ([], [one]) if *one == match_id => {
                assert_eq!(cai_there.securing().await, match_id);
                (&here, &ben)
            }
            other => panic!("round {round}: {other:?}"),
        };
        // The third waits, and may go.
        assert!(alone.0.leave(alone.1).await, "round {round}");
        assert_eq!(seats(&world, match_id).await, 2);
    }
}

async fn seats(world: &World, match_id: Uuid) -> i64 {
    sqlx::query_scalar("select count(*) from players_in_match where match_id = $1")
        .bind(match_id)
        .fetch_one(world.pool())
        .await
        .expect("the database answers")
}

// The answers of the other services reach one instance; a stream at the other hears of them all the same.
#[tokio::test]
async fn a_stream_at_either_instance_gets_to_the_game() {
    let world = World::start().await;
    let there = world.another().await;
    let pair = world.proposed().await;
    let mut seekers = vec![pair.first, pair.second];
    for index in 0..2 {
        let (player, ask) = (seekers[index].player.clone(), seekers[index].ask);
        seekers.push(Client::of(&there).join(&player, &ask).await.expect("it is his match"));
    }
    world.agree(pair.match_id).await;
    let mut games = Vec::new();
    for mut seeker in seekers {
        games.push(seeker.matched().await.game_id);
    }
    games.dedup();
    assert_eq!(games.len(), 1);
}
