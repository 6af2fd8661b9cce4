//! Whole numbers of which small ones are likely: how many bits it has with a model, the bits below the highest plainly.

use super::range_coder::{Bit, Coder};

/// So many bits at once are written without a model.
const PLAIN_BITS_MAX: u32 = 16;
/// Widths from 0 (the number 0) to 63.
const WIDTH_BITS: u32 = 6;
const WIDTHS: usize = 1 << WIDTH_BITS;

/// The model of one kind of number.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// A tree of decisions; its node 1 is the root.
    widths: [Bit; WIDTHS],
    below: [Bit; WIDTHS],
}

impl Number {
    pub(super) fn new() -> Number {
        Number { widths: [Bit::even(); WIDTHS], below: [Bit::even(); WIDTHS] }
    }

    /// A model that expects each width as often as `counts` says; widths beyond it hardly ever.
    pub(super) fn expecting(counts: &[u32]) -> Number {
        let count = |width: usize| counts.get(width).copied().unwrap_or(0) * 16 + 1;
        let mut number = Number::new();
        for (node, model) in number.widths.iter_mut().enumerate().skip(1) {
            let depth = node.ilog2();
            let span = WIDTHS >> depth;
            let first = (node << (WIDTH_BITS - depth)) - WIDTHS;
            let zero: u32 = (first..first + span / 2).map(count).sum();
            let all: u32 = (first..first + span).map(count).sum();
            let chance = u64::from(zero) * 0xffff / u64::from(all);
            let chance = u16::try_from(chance).expect("a part of the whole").clamp(64, 0xffff - 64);
            *model = Bit::expecting(chance, 4);
        }
        number
    }

    /// Codes a number that is not negative; a negative one is taken for 0.
    pub(super) fn code(&mut self, coder: &mut impl Coder, value: i64) -> i64 {
        let value = u64::try_from(value).unwrap_or(0);
        let width = self.width(coder, 64 - value.leading_zeros());
        if width <= 1 {
            return i64::from(width);
        }
        let mut left = width - 2;
        // The first bit below the leading one is worth a model: the halves of a width are not equally likely.
        let bit = coder.bit(&mut self.below[width as usize], value >> left & 1 == 1);
        let mut known = 2 | u64::from(bit);
        while left > 0 {
            let bits = left.min(PLAIN_BITS_MAX);
            left -= bits;
            let part = (value >> left & ((1 << bits) - 1)) as u32;
            known = known << bits | u64::from(coder.plain(bits, part));
        }
        i64::try_from(known).unwrap_or(i64::MAX)
    }

    /// Codes a number of either sign.
    pub(super) fn code_signed(&mut self, coder: &mut impl Coder, value: i64) -> i64 {
        let folded = if value < 0 { !value << 1 | 1 } else { value << 1 };
        let folded = self.code(coder, folded);
        if folded & 1 == 1 { !(folded >> 1) } else { folded >> 1 }
    }

    fn width(&mut self, coder: &mut impl Coder, width: u32) -> u32 {
        let mut node = 1;
        for left in (0..WIDTH_BITS).rev() {
            let bit = coder.bit(&mut self.widths[node], width >> left & 1 == 1);
            node = node << 1 | usize::from(bit);
        }
        u32::try_from(node - WIDTHS).expect("a leaf of the tree")
    }
}

#[cfg(test)]
mod tests {
    use super::super::range_coder::{Reader, Writer};
    use super::*;

    #[test]
    fn every_number_that_can_be_written_is_read_again() {
        let numbers = [0, 1, 2, 3, 4, 255, 256, 10_800_000, i64::MAX / 2];
        let mut writer = Writer::after(Vec::new());
        let mut model = Number::expecting(&[5, 10, 3]);
        for number in numbers {
            model.code(&mut writer, number);
            model.code_signed(&mut writer, number / 2);
            model.code_signed(&mut writer, -(number / 2) - 1);
        }
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        let mut model = Number::expecting(&[5, 10, 3]);
        for number in numbers {
            assert_eq!(model.code(&mut reader, 0), number);
            assert_eq!(model.code_signed(&mut reader, 0), number / 2);
            assert_eq!(model.code_signed(&mut reader, 0), -(number / 2) - 1);
        }
    }
}
