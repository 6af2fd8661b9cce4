//! How likely each rank is: counted over games between people, and **part of the stored form** like the order itself.

/// The most legal moves that a list can hold.
pub(super) const MOVES_MAX: usize = 256;

/// How often each rank is played, from counts over 292 games; smoothed.
#[rustfmt::skip]
const COUNTED: [u32; 48] = [
    4601, 2611, 1918, 1531, 1171, 891, 776, 638, 548, 496, 475, 449, 432, 411, 407, 403,
    380, 368, 363, 356, 352, 348, 340, 332, 317, 308, 297, 289, 277, 261, 239, 223,
    209, 193, 175, 164, 154, 144, 132, 121, 104, 100, 95, 90, 85, 80, 75, 70,
];
/// The same for each rank beyond the table.
const BEYOND: u32 = 60;

/// Bounds of the ranks' frequencies.
pub(super) static BOUNDS: [u32; MOVES_MAX + 1] = bounds();

const fn bounds() -> [u32; MOVES_MAX + 1] {
    let mut bounds = [0; MOVES_MAX + 1];
    let mut rank = 0;
    while rank < MOVES_MAX {
        let counted = if rank < COUNTED.len() { COUNTED[rank] } else { BEYOND };
        bounds[rank + 1] = bounds[rank] + counted;
        rank += 1;
    }
    bounds
}
