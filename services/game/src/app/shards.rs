//! Games are spread over shards by their id, and shards over instances by rendezvous hashing: every instance computes the same
//! answer from the same list, and one that comes or goes moves only its own part.

use std::fmt;

use super::facts::GameId;

/// How many shards there are. Part of what all instances agree on, and of subjects on the broker: never change it.
pub const SHARDS: usize = 256;

/// The name that an instance keeps over its restarts.
pub type InstanceName = String;

/// A shard of all games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardId(pub u8);

impl fmt::Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ShardId {
    /// The shard that a game belongs to: the last byte of its id, which is random in every kind of id that we make, and which the
    /// database can take as well.
    pub fn of(game_id: GameId) -> ShardId {
        ShardId(game_id.0.as_bytes()[15])
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = ShardId> {
        (0..=u8::MAX).map(ShardId)
    }
}

/// Which of these instances a shard belongs to; `None` without any.
pub fn keeper_of<'a>(
    shard: ShardId,
    instances: impl IntoIterator<Item = &'a InstanceName>,
) -> Option<&'a InstanceName> {
    // The name decides between equal scores, so that the order of the list does not matter.
    instances.into_iter().max_by_key(|name| (score(shard, name), *name))
}

/// FNV-1a over the name and the shard, stirred once more: names differ in their last letters only. Every version computes the
/// same, so it is written down here rather than taken from a library.
fn score(shard: ShardId, name: &str) -> u64 {
    let bytes = name.bytes().chain([0, shard.0]);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn names(count: usize) -> Vec<InstanceName> {
        (1..=count).map(|number| format!("game-{number}/127.0.0.1:50051")).collect()
    }

    fn shares(names: &[InstanceName]) -> Vec<usize> {
        let keepers: Vec<_> = ShardId::all().filter_map(|shard| keeper_of(shard, names)).collect();
        names.iter().map(|name| keepers.iter().filter(|keeper| **keeper == name).count()).collect()
    }

    #[test]
    fn every_shard_has_one_keeper_whatever_the_order_of_the_list() {
        let names = names(5);
        let reversed: Vec<_> = names.iter().rev().cloned().collect();
        for shard in ShardId::all() {
            assert_eq!(keeper_of(shard, &names), keeper_of(shard, &reversed));
        }
        assert_eq!(keeper_of(ShardId(0), &[]), None);
        assert_eq!(shares(&names).iter().sum::<usize>(), SHARDS);
    }

    #[test]
    fn shares_are_about_equal() {
        for count in 2..=8 {
            let fair = SHARDS / count;
            for share in shares(&names(count)) {
                assert!((fair / 2..=fair * 2).contains(&share), "{share} of {SHARDS} among {count}");
            }
        }
    }

    #[test]
    fn an_instance_that_goes_moves_nobody_elses_shards() {
        let names = names(3);
        for shard in ShardId::all() {
            let before = keeper_of(shard, &names);
            let after = keeper_of(shard, &names[1..]);
            assert!(before == after || before == Some(&names[0]), "shard {shard} moved without need");
        }
    }

    #[test]
    fn games_of_one_moment_are_spread() {
        let shards: std::collections::HashSet<_> =
            (0..1_000).map(|_| ShardId::of(GameId(Uuid::now_v7()))).collect();
        assert!(shards.len() > SHARDS / 2);
    }
}
