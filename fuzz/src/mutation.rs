//! How an input becomes another one.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// No input is longer.
const INPUT_BYTES_MAX: usize = 4_096;
/// How many changes an input gets at most.
const CHANGES_MAX: usize = 6;
/// The most bytes that one change takes out, puts in or repeats.
const PIECE_BYTES_MAX: usize = 24;
/// Bytes at the edges of what is expected.
const EDGES: [u8; 12] = [0, 1, b' ', b'0', b'9', b'a', b'h', b'/', b'\n', 0x7f, 0x80, 0xff];

/// A seeded source of inputs.
pub struct Mutator {
    random: StdRng,
    words: &'static [&'static str],
}

impl Mutator {
    /// The same inputs for the same seed.
    pub fn new(seed: u64, words: &'static [&'static str]) -> Mutator {
        Mutator { random: StdRng::seed_from_u64(seed), words }
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    /// A changed one of `kept`.
    pub fn next(&mut self, kept: &[Vec<u8>]) -> Vec<u8> {
        let mut input = match kept.len() {
            0 => Vec::new(),
            count => kept[self.below(count)].clone(),
        };
        for _ in 0..=self.below(CHANGES_MAX) {
            self.change(&mut input, kept);
        }
        input.truncate(INPUT_BYTES_MAX);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, kept: &[Vec<u8>]) {
        let place = self.below(input.len() + 1);
        let piece = (1 + self.below(PIECE_BYTES_MAX)).min(input.len().saturating_sub(place));
        match self.below(9) {
            0 if place < input.len() => input[place] ^= 1 << self.below(8),
            1 if place < input.len() => input[place] = self.random.random(),
            2 if place < input.len() => input[place] = EDGES[self.below(EDGES.len())],
            3 => drop(input.drain(place..place + piece)),
            4 => {
                let repeated = input[place..place + piece].to_vec();
                input.splice(place..place, repeated);
            }
            5 if !self.words.is_empty() => {
                let number = self.below(self.words.len());
                let word = self.words[number];
                input.splice(place..place, word.bytes());
            }
            6 if !kept.is_empty() => {
                let other = self.below(kept.len());
                self.cross(input, place, &kept[other]);
            }
            7 if input.len() > 1 => {
                let other = self.below(input.len());
                let place = place.min(input.len() - 1);
                input.swap(place, other);
            }
            _ => input.insert(place, EDGES[self.below(EDGES.len())]),
        }
    }

    /// Goes on with another input from somewhere in it.
    fn cross(&mut self, input: &mut Vec<u8>, place: usize, other: &[u8]) {
        let from = self.below(other.len() + 1);
        input.truncate(place);
        input.extend_from_slice(&other[from..]);
    }
}
