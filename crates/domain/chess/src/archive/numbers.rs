//! Whole numbers of which small ones are likely: how many bits it has with a model, the bits below the highest plainly.

use super::{
    range_coder::{Coder, Even},
    symbol::{Symbol, UNSURE},
};

/// So many bits at once are written without a model.
const PLAIN_BITS_MAX: u32 = 16;
/// Widths from 0 (the number 0) upwards have values of their own, and share this one from here to [`WIDTH_MAX`].
const WIDE: u32 = 31;
const WIDTH_MAX: u32 = u64::BITS;

/// How many bits a number has.
pub(super) type Widths = Symbol<32>;

/// Nothing is known of the number, but that small ones are likelier.
const UNKNOWN: Widths = Symbol::expecting(
    &[8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6, 6, 6, 6, 4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 2],
    UNSURE,
);

/// The model of one kind of number.
#[derive(Clone, Debug)]
pub(super) struct Number {
    widths: Widths,
}

impl Number {
    pub(super) fn new() -> Number {
        Number { widths: UNKNOWN }
    }

    /// A model that begins with these widths.
    pub(super) fn expecting(widths: &Widths) -> Number {
        Number { widths: widths.clone() }
    }

    /// Codes a number that is not negative; a negative one is taken for 0.
    pub(super) fn code(&mut self, coder: &mut impl Coder, value: i64) -> i64 {
        let value = self.whole(coder, u64::try_from(value).unwrap_or(0));
        i64::try_from(value).unwrap_or(i64::MAX)
    }

    /// Codes a number of either sign.
    pub(super) fn code_signed(&mut self, coder: &mut impl Coder, value: i64) -> i64 {
        let folded = self.whole(coder, (value << 1 ^ value >> 63).cast_unsigned());
        (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed()
    }

    fn whole(&mut self, coder: &mut impl Coder, value: u64) -> u64 {
        let width = self.width(coder, u64::BITS - value.leading_zeros());
        if width <= 1 {
            return u64::from(width);
        }
        let (mut known, mut left) = (1, width - 1);
        while left > 0 {
            let bits = left.min(PLAIN_BITS_MAX);
            left -= bits;
            let part = (value >> left & ((1 << bits) - 1)) as u32;
            known = known << bits | u64::from(coder.plain(bits, part));
        }
        known
    }

    fn width(&mut self, coder: &mut impl Coder, width: u32) -> u32 {
        let value = coder.learn(&mut self.widths, width.min(WIDE) as usize) as u32;
        if value < WIDE {
            return value;
        }
        WIDE + coder.choose(&Even(WIDTH_MAX - WIDE + 1), width.saturating_sub(WIDE))
    }
}

#[cfg(test)]
mod tests {
    use super::super::range_coder::{Reader, Writer};
    use super::*;

    #[test]
    fn every_number_that_can_be_written_is_read_again() {
        let numbers =
            [0, 1, 2, 3, 4, 255, 256, 10_800_000, i64::from(i32::MAX), 1 << 31, i64::MAX - 1, i64::MAX];
        let mut writer = Writer::after(Vec::new());
        let mut model = Number::expecting(&Symbol::expecting(&[5, 10, 3], UNSURE));
        for number in numbers {
            model.code(&mut writer, number);
            model.code_signed(&mut writer, number);
            model.code_signed(&mut writer, -number - 1);
        }
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        let mut model = Number::expecting(&Symbol::expecting(&[5, 10, 3], UNSURE));
        for number in numbers {
            assert_eq!(model.code(&mut reader, 0), number);
            assert_eq!(model.code_signed(&mut reader, 0), number);
            assert_eq!(model.code_signed(&mut reader, 0), -number - 1);
        }
    }
}
