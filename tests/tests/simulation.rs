//! A thousand seeds of the simulator with every run of the tests; `make simulate SEEDS=100000` runs more.

/// Enough to meet every fault many times, few enough to take a second or two.
const SEEDS: u64 = 1_000;

#[test]
fn every_match_ends_with_a_settled_game_or_with_nothing_held() {
    let failed: Vec<_> = (0..SEEDS)
        .filter_map(|seed| end_to_end::simulator::run(seed).err().map(|reason| (seed, reason)))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
