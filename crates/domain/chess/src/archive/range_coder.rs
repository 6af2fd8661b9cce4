//! An arithmetic coder: what is likely costs a fraction of a bit.
//!
//! Writer and reader have one interface, [`Coder`], so that what is coded is described once. A writer returns the value it
//! is given; a reader ignores it and returns what stands in the bytes.

/// Probabilities are in units of 2⁻¹².
const PROBABILITY_BITS: u32 = 12;
/// Below this the range is widened by a byte.
const RANGE_MIN: u32 = 1 << 24;
/// How many times a model has been seen before it stops to learn more slowly.
const SEEN_MAX: u8 = 30;

/// What part of the way to what has just been seen a model goes, by how often it was seen before: 2 ÷ (2 × seen + 3), in
/// units of 2⁻¹⁴.
const PACE: [i32; SEEN_MAX as usize + 1] = pace();

const fn pace() -> [i32; SEEN_MAX as usize + 1] {
    let mut pace = [0; SEEN_MAX as usize + 1];
    let mut seen = 0;
    while seen < pace.len() {
        pace[seen] = (2 << 14) / (2 * seen as i32 + 3);
        seen += 1;
    }
    pace
}

/// The chance that a bit is 0, learnt as the bits come: quickly at first, slowly later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    /// In units of 2⁻¹⁶.
    chance_of_zero: u16,
    seen: u8,
}

impl Bit {
    /// As likely as not.
    pub(super) const fn even() -> Bit {
        Bit { chance_of_zero: 1 << 15, seen: 0 }
    }

    /// Zero with a chance of `chance` in 2¹⁶, as if that had been seen `seen` times.
    pub(super) const fn expecting(chance: u16, seen: u8) -> Bit {
        Bit { chance_of_zero: chance, seen }
    }

    fn chance(self) -> u32 {
        let last = (1 << PROBABILITY_BITS) - 1;
        (u32::from(self.chance_of_zero) >> (16 - PROBABILITY_BITS)).clamp(1, last)
    }

    fn learn(&mut self, bit: bool) {
        let target: i32 = if bit { 0 } else { 0xffff };
        let chance = i32::from(self.chance_of_zero);
        // An arithmetic shift: rounds down on both sides, the same on every machine.
        let step = ((target - chance) * PACE[usize::from(self.seen)]) >> 14;
        self.chance_of_zero = u16::try_from(chance + step).expect("between the old chance and the target");
        self.seen = (self.seen + 1).min(SEEN_MAX);
    }
}

/// Cumulative frequencies of numbered slots; `0` is the first bound.
pub(super) type Bounds = [u32];

/// Either direction.
pub(super) trait Coder {
    /// A bit with a model that learns.
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool;
    /// One of `count` slots with the frequencies between `bounds`.
    fn slot(&mut self, bounds: &Bounds, count: usize, slot: usize) -> usize;
    /// `bits` bits without a model, at most 16.
    fn plain(&mut self, bits: u32, value: u32) -> u32;
}

/// Writes.
#[derive(Debug)]
pub(super) struct Writer {
    low: u64,
    range: u32,
    /// A byte that a carry may still change, and how many bytes 0xff follow it.
    cached: Option<u8>,
    pending: usize,
    bytes: Vec<u8>,
}

impl Writer {
    /// Goes on behind `bytes`.
    pub(super) fn after(bytes: Vec<u8>) -> Writer {
        Writer { low: 0, range: u32::MAX, cached: None, pending: 0, bytes }
    }

    /// The shortest bytes that are read as what was written; the reader takes zeros for what is missing.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let (low, end) = (self.low, self.low + u64::from(self.range));
        let roundest = (0..=32).rev().map(|bits| {
            let mask = (1_u64 << bits) - 1;
            (low + mask) & !mask
        });
        self.low = roundest.into_iter().find(|value| *value < end).unwrap_or(low);
        for _ in 0..5 {
            self.shift();
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }

    fn narrow(&mut self, start: u32, size: u32) {
        self.low += u64::from(start);
        self.range = size;
        while self.range < RANGE_MIN {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > 0xffff_ffff {
            let carry = u8::from(self.low > 0xffff_ffff);
            // Before the first byte there is nothing to carry into: all that is written is less than one.
            if let Some(cached) = self.cached {
                self.bytes.push(cached.wrapping_add(carry));
            }
            self.bytes.extend(std::iter::repeat_n(0xff_u8.wrapping_add(carry), self.pending));
            self.pending = 0;
            self.cached = Some(((self.low >> 24) & 0xff) as u8);
        } else {
            self.pending += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

impl Coder for Writer {
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * model.chance();
        if bit {
            self.narrow(bound, self.range - bound)
        } else {
            self.narrow(0, bound)
        }
        model.learn(bit);
        bit
    }

    fn slot(&mut self, bounds: &Bounds, count: usize, slot: usize) -> usize {
        let unit = self.range / bounds[count];
        self.narrow(unit * bounds[slot], unit * (bounds[slot + 1] - bounds[slot]));
        slot
    }

    fn plain(&mut self, bits: u32, value: u32) -> u32 {
        let unit = self.range >> bits;
        self.narrow(unit * value, unit);
        value
    }
}

/// Reads.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: std::slice::Iter<'a, u8>,
    range: u32,
    code: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        let mut reader = Reader { bytes: bytes.iter(), range: u32::MAX, code: 0 };
        for _ in 0..4 {
            reader.take_byte();
        }
        reader
    }

    /// Whether all bytes have been looked at.
    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.len() == 0
    }

    fn take_byte(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }

    fn narrow(&mut self, start: u32, size: u32) {
        self.code = self.code.wrapping_sub(start);
        self.range = size;
        while self.range < RANGE_MIN {
            self.range <<= 8;
            self.take_byte();
        }
    }
}

impl Coder for Reader<'_> {
    fn bit(&mut self, model: &mut Bit, _: bool) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * model.chance();
        let bit = self.code >= bound;
        if bit {
            self.narrow(bound, self.range - bound)
        } else {
            self.narrow(0, bound)
        }
        model.learn(bit);
        bit
    }

    fn slot(&mut self, bounds: &Bounds, count: usize, _: usize) -> usize {
        let unit = self.range / bounds[count];
        let place = (self.code / unit).min(bounds[count] - 1);
        // The likely slots come first.
        let slot = (0..count).find(|slot| place < bounds[slot + 1]).unwrap_or(count - 1);
        self.narrow(unit * bounds[slot], unit * (bounds[slot + 1] - bounds[slot]));
        slot
    }

    fn plain(&mut self, bits: u32, _: u32) -> u32 {
        let unit = self.range >> bits;
        let value = (self.code / unit).min((1 << bits) - 1);
        self.narrow(unit * value, unit);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: [u32; 4] = [0, 700, 1_000, 1_003];

    fn sequence(coder: &mut impl Coder, seed: u32) -> Vec<u32> {
        let mut random = seed;
        let (mut likely, mut even) = (Bit::expecting(60_000, 10), Bit::even());
        let mut values = Vec::new();
        for _ in 0..2_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let drawn = random >> 16;
            values.push(u32::from(coder.bit(&mut likely, drawn.is_multiple_of(50))));
            values.push(u32::from(coder.bit(&mut even, drawn & 1 == 1)));
            values.push(coder.slot(&BOUNDS, 3, (drawn % 3) as usize) as u32);
            values.push(coder.slot(&BOUNDS, 1, 0) as u32);
            values.push(coder.plain(16, drawn));
        }
        values
    }

    #[test]
    fn what_is_written_is_read_again() {
        for seed in 0..50 {
            let mut writer = Writer::after(Vec::new());
            let written = sequence(&mut writer, seed);
            let bytes = writer.finish();
            let mut reader = Reader::new(&bytes);
            assert_eq!(sequence(&mut reader, seed.wrapping_add(99)), written);
            assert!(reader.is_at_end());
        }
    }

    #[test]
    fn a_likely_bit_costs_next_to_nothing_and_a_sure_one_no_more() {
        let mut writer = Writer::after(Vec::new());
        let mut model = Bit::even();
        for _ in 0..1_000 {
            writer.bit(&mut model, false);
            writer.slot(&BOUNDS, 1, 0);
        }
        let bytes = writer.finish().len();
        assert!(bytes <= 10, "{bytes}");
    }
}
