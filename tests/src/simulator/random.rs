//! Numbers that depend on the seed alone, on every machine and for ever: SplitMix64 (Steele, Lea, Flood 2014).

/// A source of numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The source of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is above 0. The bias of the remainder is of no matter here.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next_number() % bound as u64).expect("it is below a usize")
    }

    /// Whether something happens that happens once in `every` times.
    pub fn once_in(&mut self, every: usize) -> bool {
        self.below(every) == 0
    }
}
