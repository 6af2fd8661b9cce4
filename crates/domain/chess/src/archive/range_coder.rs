//! An arithmetic coder: what is likely costs a fraction of a bit.
//!
//! Writer and reader have one interface, [`Coder`], so that what is coded is described once. A writer returns the value it
//! is given; a reader ignores it and returns what stands in the bytes. How likely values are is said by their [`Parts`].

use super::symbol::Symbol;

/// Below this the range is widened by a byte.
const RANGE_MIN: u32 = 1 << 24;

/// What belongs to one value, of the whole from 0 to [`Parts::total`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) start: u32,
    /// Never 0.
    pub(super) size: u32,
}

/// Values and how likely they are: to each belongs a part, and the parts leave no gap.
pub(super) trait Parts {
    type Value: Copy;

    /// Never 0 and at most 2¹⁶.
    fn total(&self) -> u32;
    /// The part of a value that has one.
    fn part_of(&self, value: Self::Value) -> Part;
    /// The value at a place below the total, and its part.
    fn at(&self, place: u32) -> (Self::Value, Part);
}

/// The values below a number, each as likely as any other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Even(pub(super) u32);

impl Parts for Even {
    type Value = u32;

    fn total(&self) -> u32 {
        self.0
    }

    fn part_of(&self, value: u32) -> Part {
        Part { start: value, size: 1 }
    }

    fn at(&self, place: u32) -> (u32, Part) {
        (place, self.part_of(place))
    }
}

/// Either direction.
pub(super) trait Coder {
    /// One of the values that have parts.
    fn choose<P: Parts>(&mut self, parts: &P, value: P::Value) -> P::Value;

    /// A value with a model that learns.
    fn learn<const N: usize>(&mut self, model: &mut Symbol<N>, value: usize) -> usize {
        let value = self.choose(model, value);
        model.learn(value);
        value
    }

    /// `bits` bits without a model, at most 16.
    fn plain(&mut self, bits: u32, value: u32) -> u32 {
        self.choose(&Even(1 << bits), value)
    }
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
    fn choose<P: Parts>(&mut self, parts: &P, value: P::Value) -> P::Value {
        let unit = self.range / parts.total();
        let part = parts.part_of(value);
        self.narrow(unit * part.start, unit * part.size);
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
    fn choose<P: Parts>(&mut self, parts: &P, _: P::Value) -> P::Value {
        let unit = self.range / parts.total();
        let place = (self.code / unit).min(parts.total() - 1);
        let (value, part) = parts.at(place);
        self.narrow(unit * part.start, unit * part.size);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::symbol::UNSURE;

    fn sequence(coder: &mut impl Coder, seed: u32) -> Vec<u32> {
        let mut random = seed;
        let mut model = Symbol::<8>::expecting(&[900, 50, 3], UNSURE);
        let mut values = Vec::new();
        for _ in 0..2_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let drawn = random >> 16;
            values.push(coder.learn(&mut model, if drawn.is_multiple_of(50) { 7 } else { 0 }) as u32);
            values.push(coder.choose(&Even(3), drawn % 3));
            values.push(coder.choose(&Even(1), 0));
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
    fn a_likely_value_costs_next_to_nothing_and_a_sure_one_no_more() {
        let mut writer = Writer::after(Vec::new());
        let mut model = Symbol::<8>::expecting(&[1; 8], UNSURE);
        for _ in 0..1_000 {
            writer.learn(&mut model, 3);
            writer.choose(&Even(1), 0);
        }
        let bytes = writer.finish().len();
        assert!(bytes <= 10, "{bytes}");
    }
}
