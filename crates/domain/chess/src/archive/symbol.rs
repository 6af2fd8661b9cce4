//! One of a few values whose likelihoods are learnt as they come.

use super::range_coder::{Part, Parts};

/// All frequencies of a model together. Where the parts begin then fits 16 bits with a sign, of which a machine compares
/// and changes eight at once.
const TOTAL: i32 = 1 << 15;
/// No value ever becomes rarer than that.
const FREQUENCY_MIN: i32 = 2;
/// How far a model goes to what has just been seen, by how much was seen before: so many halvings of the way.
const PACES: [u8; 25] = [2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5];
/// For a model of which every game is much like the others, and for one that a game's own pace and connection decide.
pub(super) const SURE: u8 = PACES.len() as u8 - 1;
pub(super) const UNSURE: u8 = 3;

/// The model of the values from 0 to `N` − 1.
#[derive(Clone, Debug)]
pub(super) struct Symbol<const N: usize> {
    /// Where each value's part begins: the first at 0. The last ends at [`TOTAL`].
    starts: [i16; N],
    seen: u8,
}

impl<const N: usize> Symbol<N> {
    /// Expects each value as often as `counts` says; values beyond `counts` hardly ever. All that as if `seen`
    /// had been seen already: [`SURE`] or [`UNSURE`].
    pub(super) const fn expecting(counts: &[u16], seen: u8) -> Symbol<N> {
        let (mut all, mut value) = (0, 0);
        while value < counts.len() {
            all += counts[value] as i32;
            value += 1;
        }
        let free = TOTAL - FREQUENCY_MIN * N as i32;
        let (mut starts, mut before, mut value) = ([0; N], 0, 0);
        while value < N {
            starts[value] = (FREQUENCY_MIN * value as i32 + free * before / all) as i16;
            before += if value < counts.len() { counts[value] as i32 } else { 0 };
            value += 1;
        }
        Symbol { starts, seen }
    }

    /// Makes `seen` likelier. Whatever the steps, each part stays: its ends go to places at least [`FREQUENCY_MIN`] apart, which
    /// outweighs that steps are rounded down.
    pub(super) fn learn(&mut self, seen: usize) {
        let pace = PACES[usize::from(self.seen)];
        self.seen = (self.seen + 1).min(SURE);
        for (value, start) in self.starts.iter_mut().enumerate() {
            let nearest = (FREQUENCY_MIN * value as i32) as i16;
            let furthest = (TOTAL - FREQUENCY_MIN * (N - value) as i32) as i16;
            let target = if value <= seen { nearest } else { furthest };
            *start += (target - *start) >> pace;
        }
    }
}

impl<const N: usize> Parts for Symbol<N> {
    type Value = usize;

    fn total(&self) -> u32 {
        TOTAL as u32
    }

    fn part_of(&self, value: usize) -> Part {
        let start = i32::from(self.starts[value]);
        let end = self.starts.get(value + 1).map_or(TOTAL, |start| i32::from(*start));
        Part { start: start as u32, size: (end - start) as u32 }
    }

    fn at(&self, place: u32) -> (usize, Part) {
        let place = place as i16;
        let begun: i16 = self.starts.iter().map(|start| i16::from(*start <= place)).sum();
        let value = (begun.max(1) - 1) as usize;
        (value, self.part_of(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_keeps_a_part_whatever_is_seen() {
        let mut model = Symbol::<16>::expecting(&[900, 1], UNSURE);
        let mut random = 7_u32;
        for round in 0..20_000_u32 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // For a while always the same, then anything.
            model.learn(if round / 1_000 % 2 == 0 {
                (round / 1_000) as usize % 16
            } else {
                (random >> 28) as usize
            });
            let mut end = 0;
            for value in 0..16 {
                let part = model.part_of(value);
                assert!(part.start == end && part.size > 0, "{value} of {model:?}");
                end = part.start + part.size;
                assert_eq!(model.at(part.start), (value, part));
                assert_eq!(model.at(end - 1), (value, part));
            }
            assert_eq!(end, model.total());
        }
    }
}
