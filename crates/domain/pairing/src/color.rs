//! Who gets White.

use std::cmp::Ordering;

use crate::{Pairing, Ticket};

/// Gives White to the player who has had it less in his recent games; between equals the coin decides. The coin is one number a
/// pass, mixed with the two players, so that the pairs of a pass do not all fall the same way.
#[must_use]
pub(crate) fn with_colors(a: &Ticket, b: &Ticket, coin: u64) -> Pairing {
    let (low, high) = if a.player < b.player { (a, b) } else { (b, a) };
    let low_is_white = match low.color_balance.cmp(&high.color_balance) {
        Ordering::Less => true,
        Ordering::Greater => false,
        Ordering::Equal => {
            let players = [low.player.value(), high.player.value()];
            toss(coin, players)
        }
    };
    let (white, black) = if low_is_white { (low, high) } else { (high, low) };
    Pairing { white: white.player, black: black.player }
}

/// One bit out of the coin and the players, by the finaliser of `SplitMix64`.
fn toss(coin: u64, players: [u128; 2]) -> bool {
    let mut mixed = coin;
    for half in players.into_iter().flat_map(halves) {
        mixed = mixed.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ half;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
    }
    mixed & 1 == 1
}

fn halves(id: u128) -> [u64; 2] {
    let bytes = id.to_be_bytes();
    let half = |from: usize| {
        let bytes = bytes[from..from + 8].try_into();
        u64::from_be_bytes(bytes.expect("half of sixteen bytes is eight"))
    };
    [half(0), half(8)]
}
